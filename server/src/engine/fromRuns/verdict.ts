import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { jsonOf } from "../../base/jsonLines.ts";
import { filesUnder } from "../../evidence/importing/discover.ts";
import type { FoundRun } from "./findRuns.ts";

/** What counts as solved in the runs, and why; `passWhen` as `evotrainer import` takes it, null where it is not needed or not known. */
export interface Verdict {
  readonly passWhen: string | null;
  readonly isKnown: boolean;
  readonly why: string;
}

/** So many lines of each file say how rewards look. */
const looksAt = 500;
const verdicts = ["acc", "correct", "is_correct", "resolved", "outcome", "passed"];

/** Looks at the first lines of the rollouts of runs. Reads only. */
export async function verdictIn(runs: readonly FoundRun[]): Promise<Verdict> {
  const rewards = new Map<number, number>();
  let [lines, judged] = [0, ""];
  for await (const record of rewardedIn(runs)) {
    const reward = Number(record["score"] ?? record["reward"]);
    lines++;
    rewards.set(reward, (rewards.get(reward) ?? 0) + 1);
    judged ||= verdicts.find((name) => Object.hasOwn(record, name)) ?? "";
  }
  if (judged !== "")
    return { passWhen: null, isKnown: true, why: `the rollouts say it themselves, in ${judged}` };
  const values = [...rewards.keys()];
  if (lines === 0)
    return {
      passWhen: null,
      isKnown: false,
      why: "no rollouts with a reward were found among lines of JSON",
    };
  if (values.every((value) => value === 0 || value === 1))
    return {
      passWhen: "reward >= 1.0",
      isKnown: true,
      why: `all ${lines} rewards that were looked at are 0 or 1`,
    };
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return {
    passWhen: null,
    isKnown: false,
    why: `the ${lines} rewards that were looked at lie between ${low} and ${high}, and no line says which of them is solved`,
  };
}

/** The first records of each file of lines that have a reward, in score or reward. */
export async function* rewardedIn(
  runs: readonly FoundRun[],
): AsyncGenerator<Readonly<Record<string, unknown>>, void> {
  const paths = runs.map((run) => run.path);
  for await (const path of filesUnder(paths, () => undefined)) {
    if (!path.endsWith(".jsonl")) continue;
    for await (const record of recordsOf(path))
      if (typeof (record["score"] ?? record["reward"]) === "number") yield record;
  }
}

async function* recordsOf(path: string): AsyncGenerator<Record<string, unknown>, void> {
  const stream = createReadStream(path, { encoding: "utf8" });
  let count = 0;
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
      if (++count > looksAt) return;
      const value = jsonOf(line);
      if (typeof value === "object" && value !== null) yield value as Record<string, unknown>;
    }
  } finally {
    stream.destroy();
  }
}
