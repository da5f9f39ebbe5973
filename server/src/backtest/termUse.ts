import { zeroSpread } from "../../../shared/model/groupSpread.ts";
import { activeTerms, termFunction, type RewardTerms } from "../../../shared/model/reward.ts";
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
    const values = new Float64Array(rollouts);
    const valueOf = termFunction(term);
    let maximum = -Infinity;
    for (let i = 0; i < rollouts; i++) {
      const value = valueOf(signals[rowOf[i] ?? 0] ?? NaN);
      values[i] = value;
      if (value > maximum) maximum = value;
    }
    let atMaximum = 0;
    for (let i = 0; i < rollouts; i++) if ((values[i] ?? NaN) >= maximum - zeroSpread) atMaximum++;
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
    const from = offsets[g] ?? 0;
    const to = offsets[g + 1] ?? 0;
    let low = Infinity;
    let high = -Infinity;
    for (let i = from; i < to; i++) {
      const value = values[i] ?? NaN;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (high - low > zeroSpread) groups++;
  }
  return groups;
}
