import { unknown, type Verdict } from "../parts/adapter.ts";
import { nameAt } from "../parts/untrusted.ts";

/** Ends that the agent has no part in; tau2 gives them a reward of 0 all the same, or leaves them out of its metrics. */
const infrastructureEnds: Readonly<Record<string, string>> = {
  infrastructure_error: "the simulation never ran",
  unexpected_error: "the simulation failed",
  user_error: "the simulated user failed",
  timeout: "the simulation ran out of time",
};

/** The verdict on a run that ended in a way that the agent has no part in. */
export function infrastructureEnd(reason: string | undefined, run: unknown): Verdict | undefined {
  if (reason === undefined || !Object.hasOwn(infrastructureEnds, reason)) return undefined;
  const error = nameAt(run, "info", "error");
  return unknown(
    `${infrastructureEnds[reason] ?? ""} (${reason})${error === undefined ? "" : `: ${error.slice(0, 300)}`}`,
  );
}
