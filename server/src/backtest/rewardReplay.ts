import { zeroSpread } from "../../../shared/model/groupSpread.ts";
import type { RewardTerms } from "../../../shared/reward/reward.ts";
import type { Outcome } from "../../../shared/model/rollout.ts";
import { outcomeCodes, type GroupColumns } from "../evidence/queries/groupColumns.ts";
import { advantageShift, type AdvantageShift } from "./advantageShift.ts";
import { deadGroups, type DeadGroups } from "./deadGroups.ts";
import { groupSpreads } from "./groupSpreads.ts";
import { pairsWithinGroups, tauB } from "./kendall.ts";
import { orderViolations, type OrderViolations } from "./orderViolations.ts";
import { phantomSignal, type PhantomSignal } from "./phantomSignal.ts";
import type { LeftOut, ReplayGroups } from "./replayGroups.ts";
import { rewardDistribution, type RewardDistribution } from "./rewardDistribution.ts";
import { termUse, type TermUse } from "./termUse.ts";

/** What another reward would have made of archived groups. */
export interface RewardReplay {
  /** What the archive has. */
  readonly archived: { readonly groups: number; readonly rollouts: number };
  /** What takes part, and what does not. */
  readonly groups: number;
  readonly rollouts: number;
  readonly leftOut: LeftOut;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly dead: DeadGroups;
  readonly violations: { readonly before: OrderViolations; readonly after: OrderViolations };
  readonly phantom: PhantomSignal;
  readonly terms: readonly TermUse[];
  readonly advantages: AdvantageShift;
  /** No advantage changes: group normalisation cancels the change. Null where there is no group to tell it from. */
  readonly noOp: boolean | null;
  /**
   * Kendall's tau-b between the old and the new reward over the pairs of rollouts of one group; null where one of the
   * two rewards has ties only.
   */
  readonly rankCorrelation: number | null;
  readonly distribution: {
    readonly before: RewardDistribution | null;
    readonly after: RewardDistribution | null;
  };
  /** The standard deviations of the groups' rewards, as a distribution. */
  readonly spread: {
    readonly before: RewardDistribution | null;
    readonly after: RewardDistribution | null;
  };
  /** How many of the rewards that training recorded the old spec gives again. */
  readonly reproduced: { readonly same: number; readonly compared: number };
}

/** Compares the old and the new reward of replayed groups; `after` is the spec that the new one was composed by. */
export function replayReward(
  columns: GroupColumns,
  replayed: ReplayGroups,
  after: RewardTerms,
): RewardReplay {
  const { offsets, outcomes, groups, rollouts, leftOut } = replayed;
  const spreads = {
    before: groupSpreads(replayed.before, offsets),
    after: groupSpreads(replayed.after, offsets),
  };
  const advantages = advantageShift(replayed, spreads.before, spreads.after);
  return {
    archived: { groups: columns.groups, rollouts: columns.rollouts },
    groups,
    rollouts,
    leftOut,
    outcomes: countOutcomes(outcomes),
    dead: deadGroups(spreads.before.stds, spreads.after.stds),
    violations: {
      before: orderViolations(replayed.before, outcomes, offsets),
      after: orderViolations(replayed.after, outcomes, offsets),
    },
    phantom: phantomSignal(columns, replayed, after),
    terms: termUse(columns, replayed, after),
    advantages,
    noOp: groups === 0 ? null : advantages.unchangedGroups === groups,
    rankCorrelation: tauB(pairsWithinGroups(replayed.before, replayed.after, offsets)),
    distribution: {
      before: rewardDistribution(replayed.before),
      after: rewardDistribution(replayed.after),
    },
    spread: {
      before: rewardDistribution(spreads.before.stds),
      after: rewardDistribution(spreads.after.stds),
    },
    reproduced: reproduced(columns, replayed),
  };
}

function countOutcomes(codes: Uint8Array): Record<Outcome, number> {
  const counts = [0, 0, 0];
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  const of = (outcome: Outcome): number => counts[outcomeCodes[outcome]] ?? 0;
  return { pass: of("pass"), fail: of("fail"), unknown: of("unknown") };
}

function reproduced(columns: GroupColumns, { rowOf, before }: ReplayGroups): RewardReplay["reproduced"] {
  let [same, compared] = [0, 0];
  for (let i = 0; i < rowOf.length; i++) {
    const recorded = columns.reward.values[rowOf[i] ?? 0] ?? NaN;
    if (Number.isNaN(recorded)) continue;
    compared++;
    if (Math.abs(recorded - (before[i] ?? NaN)) <= zeroSpread * Math.max(1, Math.abs(recorded))) same++;
  }
  return { same, compared };
}
