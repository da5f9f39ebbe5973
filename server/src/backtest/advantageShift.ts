import { zeroSpread } from "../../../shared/model/groupSpread.ts";
import type { GroupSpreads } from "./groupSpreads.ts";
import type { ReplayGroups } from "./replayGroups.ts";

/** Advantages, (reward − mean) / std of the group, that differ by less than this are the same but for rounding. */
const sameAdvantage = 1e-6;

/** What the change of the reward does to the advantages that GRPO trains on. */
export interface AdvantageShift {
  /** Groups in which every advantage stays as it is, as under every positive affine change of their rewards. */
  readonly unchangedGroups: number;
  /** Mean of |new − old advantage| over the rollouts; null without rollouts. */
  readonly mean: number | null;
}

export function advantageShift(
  replayed: ReplayGroups,
  before: GroupSpreads,
  after: GroupSpreads,
): AdvantageShift {
  let unchangedGroups = 0;
  let sum = 0;
  for (let g = 0; g < replayed.groups; g++) {
    let largest = 0;
    for (let i = replayed.offsets[g] ?? 0; i < (replayed.offsets[g + 1] ?? 0); i++) {
      const shift = Math.abs(
        advantage(replayed.after[i] ?? 0, after, g) - advantage(replayed.before[i] ?? 0, before, g),
      );
      sum += shift;
      largest = Math.max(largest, shift);
    }
    if (largest < sameAdvantage) unchangedGroups++;
  }
  return { unchangedGroups, mean: replayed.rollouts === 0 ? null : sum / replayed.rollouts };
}

function advantage(reward: number, { means, stds }: GroupSpreads, g: number): number {
  const std = stds[g] ?? 0;
  return std <= zeroSpread ? 0 : (reward - (means[g] ?? 0)) / std;
}
