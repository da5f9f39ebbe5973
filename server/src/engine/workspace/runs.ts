import { join } from "node:path";
import type { Split } from "../../../../shared/model/rollout.ts";
import { runsFolder } from "./archive.ts";
import type { Workspace } from "./workspace.ts";

/** One job of a version: what it does and with which seed. */
export interface RunName {
  readonly version: string;
  /** again: one more evaluation on the selection split, whose rollouts are those of no version. */
  readonly work: "train" | Exclude<Split, "train"> | "again";
  readonly seed: number;
  /** 1 or nothing for the first run; a rerun has the next number. */
  readonly attempt?: number;
}

/** v3-continuous-reward trained with seed 1 is the run v3-continuous-reward.train.s1; names decide, so that a job is found again. */
export function runId({ version, work, seed, attempt = 1 }: RunName): string {
  return `${version}.${work}.s${seed}${attempt > 1 ? `.r${attempt}` : ""}`;
}

/** What a run's name says; undefined for one that no engine of ours gave. */
export function parseRunId(run: string): Required<RunName> | undefined {
  const [, version, work, seed, attempt] =
    /^(.+)\.(train|selection|audit|again)\.s(\d+)(?:\.r(\d+))?$/.exec(run) ?? [];
  if (
    version === undefined ||
    (work !== "train" && work !== "selection" && work !== "audit" && work !== "again")
  )
    return undefined;
  return { version, work, seed: Number(seed), attempt: Number(attempt ?? 1) };
}

/** Under what name the archive keeps what a clean evaluation wrote: that of no version, so that it counts for none. */
export const cleanEvidence = (version: string): string => `${version}.clean`;

export function runFolder(workspace: Workspace, run: string): string {
  return join(runsFolder(workspace), run);
}

/** File or folder where a job leaves its policy. */
export function policyPath(workspace: Workspace, name: RunName): string {
  return join(runFolder(workspace, runId(name)), "policy");
}

/** The runs that a piece of work goes by, one per seed. */
export function runsOf(version: string, work: RunName["work"], seeds: readonly number[]): RunName[] {
  return seeds.map((seed) => ({ version, work, seed }));
}
