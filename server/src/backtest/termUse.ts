import { zeroSpread } from "../../../shared/model/groupSpread.ts";
import { activeTerms, termValue, type RewardTerms } from "../../../shared/model/reward.ts";
import type { GroupColumns } from "../evidence/groupColumns.ts";
import type { ReplayGroups } from "./replayGroups.ts";
import { signalOf } from "./rewardColumn.ts";

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
    const signals = signalOf(columns, signal).values;
    const values = Float64Array.from(rowOf, (i) => termValue(term, signals[i] ?? NaN));
    const maximum = values.reduce((most, v) => Math.max(most, v), -Infinity);
    let atMaximum = 0;
    for (const v of values) if (v >= maximum - zeroSpread) atMaximum++;
    return {
      name,
      maximum: maximum + 0,
      saturation: atMaximum / rollouts,
      variesIn: varying(values, offsets),
    };
  });
}

function varying(values: Float64Array, offsets: Uint32Array): number {
  let groups = 0;
  for (let g = 0; g + 1 < offsets.length; g++) {
    let [low, high] = [Infinity, -Infinity];
    for (let i = offsets[g] ?? 0; i < (offsets[g + 1] ?? 0); i++) {
      low = Math.min(low, values[i] ?? low);
      high = Math.max(high, values[i] ?? high);
    }
    if (high - low > zeroSpread) groups++;
  }
  return groups;
}
