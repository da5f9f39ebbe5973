/** How Slurm ends jobs of its own accord. */
export function stoppedBySlurm(state: string): "cancelled" | "timeout" | undefined {
  if (state === "CANCELLED") return "cancelled";
  return state === "TIMEOUT" || state === "DEADLINE" ? "timeout" : undefined;
}

const losses: Readonly<Record<string, string>> = {
  NODE_FAIL: "its node failed",
  BOOT_FAIL: "its node did not start",
  PREEMPTED: "Slurm gave its node to a job of higher priority",
  OUT_OF_MEMORY: "it used more memory than Slurm gave it",
  GONE: "Slurm no longer knows it",
};

/** Why a job is lost that Slurm gave this last state, as one clause. */
export const lostBySlurm = (state: string): string =>
  losses[state] ?? `Slurm ended it as ${state}; keeper.log may say why`;

/** Why a job waits, from `slurm.queue`; null when it does not. */
export function waitsInSlurm(line: string): string | null {
  const [, state = "", reason = ""] = /^([A-Z_]+) ?(.*)$/.exec(line) ?? [];
  if (state === "" || state === "RUNNING" || state === "COMPLETING") return null;
  return `Slurm says ${state}${reason === "" || reason === "None" ? "" : ` (${reason})`}`;
}
