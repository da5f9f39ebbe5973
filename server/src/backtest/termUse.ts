import { zeroSpread } from "../../../shared/model/groupSpread.ts";
import { activeTerms, type RewardTerms } from "../../../shared/reward/reward.ts";
import type { GroupColumns } from "../evidence/queries/groupColumns.ts";
import type { ReplayGroups } from "./replayGroups.ts";
import { addTerm, signalOf } from "./rewardColumn.ts";

/** A term that so many rollouts get in full is a constant, which group normalisation takes away. */
export const constantShare = 0.99;

/** How a term of the reward is spread over the rollouts. */
export interface TermUse {
  readonly name: string;
  /** The most that any rollout gets from it; 0 for a penalty that some escape. */
  readonly maximum: number;
  /** Saturation: the share of the rollouts that get this maximum. */
  readonly saturation: number;
  /** Groups in which not all rollouts get the same: nowhere else does the term do anything. */
  readonly variesIn: number;
}

/** The use of each term that is switched on; none without rollouts. */
export function termUse(columns: GroupColumns, replayed: ReplayGroups, spec: RewardTerms): TermUse[] {
  const { rowOf, offsets, rollouts } = replayed;
  if (rollouts === 0) return [];
  return activeTerms(spec).map(({ name, signal, term }) => {
    const values = new Float64Array(columns.rollouts);
    addTerm(values, signalOf(columns, signal).values, term);
    return { name, ...useOf(values, rowOf, offsets) };
  });
}

/** In one pass; nearly all of a replay's time goes into passes like this one. */
function useOf(values: Float64Array, rowOf: Uint32Array, offsets: Uint32Array): Omit<TermUse, "name"> {
  let [maximum, atMaximum, variesIn] = [-Infinity, 0, 0];
  let i = 0;
  for (let g = 1; g < offsets.length; g++) {
    const to = offsets[g] ?? 0;
    let low = Infinity;
    let high = -Infinity;
    for (; i < to; i++) {
      const value = values[rowOf[i] ?? 0] ?? NaN;
      if (value < low) low = value;
      if (value > high) high = value;
      if (value > maximum) {
        maximum = value;
        atMaximum = 1;
      } else if (value === maximum) atMaximum++;
    }
    if (high - low > zeroSpread) variesIn++;
  }
  // A penalty that is not due is −0.
  return { maximum: maximum + 0, saturation: atMaximum / i, variesIn };
}
