import { StdGroupFilter, warmupOf } from "../../../shared/reward/groupFilter.ts";
import type { GroupFilter } from "../../../shared/spec/reward.ts";
import { outcomeCodes, type GroupColumns } from "../evidence/queries/groupColumns.ts";
import { groupSpreads } from "./groupSpreads.ts";
import { outcomesDiffer } from "./phantomSignal.ts";
import type { ReplayGroups } from "./replayGroups.ts";

/** Below this share of groups a filter starves the training. */
export const overFilteringShare = 0.3;

/** What the filter did in one training step. */
export interface FilterStep {
  readonly run: string;
  readonly step: number;
  readonly groups: number;
  readonly kept: number;
  /** Without any spread. */
  readonly dead: number;
  /** Dropped for a low spread. */
  readonly low: number;
  /** Dropped because all outcomes are the same. */
  readonly same: number;
  /** Of those kept: for the sake of the least share. */
  readonly rescued: number;
  /** Below which the first group of the step would have been dropped; null in the warm-up and where there is none. */
  readonly threshold: number | null;
}

/** A filter over the archived groups of a version in step order, each run with a filter of its own. */
export interface FilterReplay {
  readonly groups: number;
  readonly kept: number;
  readonly dead: number;
  readonly low: number;
  readonly same: number;
  readonly rescued: number;
  /** kept / groups; null without groups. */
  readonly keepRatio: number | null;
  /** Groups that were dropped although a rollout passed: for a low spread, and for none (all of them passed, or all got the same). */
  readonly lowWithPass: number;
  readonly deadWithPass: number;
  /** Groups of a run before the filter drops any for its spread. */
  readonly warmup: number;
  /** Runs with fewer groups than that: the filter never started. */
  readonly runsInWarmup: number;
  readonly runs: number;
  /** Runs of which not every step is archived: the moving average saw more in training than it sees here. */
  readonly runsWithGaps: number;
  readonly steps: readonly FilterStep[];
}

export interface FilteredGroups {
  readonly replay: FilterReplay;
  /** Per replayed group, whether it is trained on. */
  readonly keeps: readonly boolean[];
}

/** Replays a filter over the spreads of the old or the new reward of replayed groups. */
export function replayFilter(
  columns: GroupColumns,
  replayed: ReplayGroups,
  { filter, reward }: { readonly filter: GroupFilter; readonly reward: "before" | "after" },
): FilteredGroups {
  const { stds } = groupSpreads(replayed[reward], replayed.offsets);
  const total = { kept: 0, dead: 0, low: 0, same: 0, rescued: 0 };
  const lost = { lowWithPass: 0, deadWithPass: 0, runsInWarmup: 0, runs: 0, runsWithGaps: 0 };
  const steps: FilterStep[] = [];
  const keeps: boolean[] = [];
  for (const run of runsOf(columns, replayed)) {
    const running = new StdGroupFilter(filter);
    lost.runs++;
    if (run.reduce((n, s) => n + s.to - s.from, 0) < warmupOf(filter)) lost.runsInWarmup++;
    if (run.some(({ step }, i) => i > 0 && step > (run[i - 1]?.step ?? step) + 1)) lost.runsWithGaps++;
    for (const { name, step, from, to } of run) {
      const { threshold } = running;
      const count = { kept: 0, dead: 0, low: 0, same: 0, rescued: 0 };
      const groups = Array.from({ length: to - from }, (_, i) => from + i);
      const differ = filter.kind === "outcome" ? groups.map((g) => outcomesDiffer(replayed, g)) : [];
      running.judge([...stds.subarray(from, to)], differ).forEach((verdict, i) => {
        count[verdict]++;
        if (verdict === "rescued") count.kept++;
        keeps.push(verdict === "kept" || verdict === "rescued");
        if (verdict === "low" && hasPass(replayed, from + i)) lost.lowWithPass++;
        if (verdict === "dead" && hasPass(replayed, from + i)) lost.deadWithPass++;
      });
      steps.push({ run: name, step, groups: to - from, ...count, threshold });
      for (const what of ["kept", "dead", "low", "same", "rescued"] as const) total[what] += count[what];
    }
  }
  const { groups } = replayed;
  const keepRatio = groups === 0 ? null : total.kept / groups;
  return { replay: { groups, ...total, keepRatio, ...lost, warmup: warmupOf(filter), steps }, keeps };
}

interface StepSpan {
  readonly name: string;
  readonly step: number;
  readonly from: number;
  readonly to: number;
}

/** The replayed groups run by run and step by step. */
function runsOf(columns: GroupColumns, { groupOf }: ReplayGroups): StepSpan[][] {
  const runs: StepSpan[][] = [];
  let lastRun: number | undefined;
  for (let from = 0; from < groupOf.length;) {
    const first = groupOf[from] ?? 0;
    const [run, step] = [columns.runOf[first] ?? 0, columns.stepOf[first] ?? 0];
    let to = from;
    while (to < groupOf.length) {
      const g = groupOf[to] ?? 0;
      if (columns.runOf[g] !== run || columns.stepOf[g] !== step) break;
      to++;
    }
    if (run !== lastRun) runs.push([]);
    lastRun = run;
    runs.at(-1)?.push({ name: columns.runs[run] ?? "", step, from, to });
    from = to;
  }
  return runs;
}

function hasPass({ outcomes, offsets }: ReplayGroups, g: number): boolean {
  return outcomes.subarray(offsets[g], offsets[g + 1]).includes(outcomeCodes.pass);
}
