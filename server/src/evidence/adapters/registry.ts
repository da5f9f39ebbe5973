import { HarnessError } from "../../base/errors.ts";
import type { Adapter, ForeignFile } from "./parts/adapter.ts";

/**
 * Every format that is known, by the name for `--as`, in the order of the documentation. No two claim one file, so that the
 * order is free. To add one: a file that exports its adapter, and its line here; then `npm run schemas`.
 */
const formats = {
  verl: async () => (await import("./trainers/verl.ts")).verl,
  trl: async () => (await import("./trainers/trl.ts")).trl,
  verifiers: async () => (await import("./trainers/verifiers.ts")).verifiers,
  "verifiers-v1": async () => (await import("./trainers/verifiersV1.ts")).verifiersV1,
  "nemo-gym": async () => (await import("./trainers/nemoGym.ts")).nemoGym,
  "nemo-rl": async () => (await import("./trainers/nemoRl.ts")).nemoRl,
  skyrl: async () => (await import("./trainers/skyrl.ts")).skyrl,
  areal: async () => (await import("./trainers/areal.ts")).areal,
  rllm: async () => (await import("./trainers/rllm.ts")).rllm,
  roll: async () => (await import("./trainers/roll.ts")).roll,
  "tinker-rewardhack": async () => (await import("./trainers/tinkerRewardhack.ts")).tinkerRewardhack,
  "swe-agent": async () => (await import("./agents/sweAgent.ts")).sweAgent,
  "mini-swe-agent": async () => (await import("./agents/miniSweAgent.ts")).miniSweAgent,
  openhands: async () => (await import("./agents/openHands.ts")).openHands,
  "openhands-conversation": async () =>
    (await import("./agents/openHandsConversation.ts")).openHandsConversation,
  dgm: async () => (await import("./agents/dgm.ts")).dgm,
  "terminal-bench": async () => (await import("./agents/terminalBench.ts")).terminalBench,
  "lm-eval": async () => (await import("./evaluations/lmEval.ts")).lmEval,
  inspect: async () => (await import("./evaluations/inspect.ts")).inspect,
  scores: async () => (await import("./evaluations/scores.ts")).scores,
  atif: async () => (await import("./agents/atif.ts")).atif,
  harbor: async () => (await import("./agents/harbor.ts")).harbor,
  "tau-bench": async () => (await import("./agents/tauBench.ts")).tauBench,
  tau2: async () => (await import("./agents/tau2.ts")).tau2,
  "who-and-when": async () => (await import("./agents/whoAndWhen.ts")).whoAndWhen,
  otlp: async () => (await import("./traces/otlp.ts")).otlp,
  langfuse: async () => (await import("./traces/langfuse.ts")).langfuse,
  "langfuse-table": async () => (await import("./traces/langfuseTables.ts")).langfuseTables,
  langsmith: async () => (await import("./traces/langSmith.ts")).langSmith,
  mlflow: async () => (await import("./traces/mlflow.ts")).mlflow,
  phoenix: async () => (await import("./traces/phoenix.ts")).phoenix,
  logfire: async () => (await import("./traces/spanRows.ts")).logfire,
  weave: async () => (await import("./traces/spanRows.ts")).weave,
  "claude-code": async () => (await import("./sessions/claudeCode.ts")).claudeCode,
  codex: async () => (await import("./sessions/codex.ts")).codex,
  "gemini-cli": async () => (await import("./sessions/geminiCli.ts")).geminiCli,
  opencode: async () => (await import("./sessions/openCode.ts")).openCode,
  cline: async () => (await import("./sessions/cline.ts")).cline,
  aider: async () => (await import("./sessions/aider.ts")).aider,
  "verl-metrics": async () => (await import("./metrics/metricLines.ts")).verlMetrics,
  "metrics-jsonl": async () => (await import("./metrics/metricLines.ts")).flatMetrics,
  "trl-trainer-state": async () => (await import("./metrics/trainerState.ts")).trainerState,
  tensorboard: async () => (await import("./metrics/tensorBoard.ts")).tensorBoard,
  "metrics-csv": async () => (await import("./metrics/csvMetrics.ts")).csvMetrics,
} satisfies Readonly<Record<string, () => Promise<Adapter>>>;

export const formatNames: readonly string[] = Object.keys(formats);

const isFormatName = (name: string): name is keyof typeof formats => Object.hasOwn(formats, name);

/** Whether `--as` takes the name for rollouts or metrics. */
export const isFormat = (name: string): boolean => isFormatName(name);

/** @throws HarnessError badInput */
export async function adapterNamed(name: string): Promise<Adapter> {
  if (isFormatName(name)) return formats[name]();
  throw new HarnessError("badInput", `There is no format ${name}; there are: ${formatNames.join(", ")}.`);
}

let loaded: Promise<readonly Adapter[]> | undefined;

/** The adapters of all formats, in the order above. */
export const allAdapters = (): Promise<readonly Adapter[]> =>
  (loaded ??= Promise.all(Object.values(formats).map((load) => load())));

/** The formats that claim the file: none for one that is no evidence, several when it could be more than one. */
export async function detectFormats(file: ForeignFile): Promise<Adapter[]> {
  const claims: Adapter[] = [];
  for (const adapter of await allAdapters()) if (await adapter.detect(file)) claims.push(adapter);
  return claims;
}
