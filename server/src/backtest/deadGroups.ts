import { zeroSpread } from "../../../shared/model/groupSpread.ts";

/** Groups whose rewards are all the same, so that they give no gradient, under the old and the new reward. */
export interface DeadGroups {
  readonly before: number;
  readonly after: number;
  /** Dead before, with a spread now. */
  readonly revived: number;
  /** With a spread before, dead now. */
  readonly died: number;
}

export function deadGroups(before: Float64Array, after: Float64Array): DeadGroups {
  const count = { before: 0, after: 0, revived: 0, died: 0 };
  before.forEach((spread, g) => {
    const was = spread <= zeroSpread;
    const is = (after[g] ?? 0) <= zeroSpread;
    if (was) count.before++;
    if (is) count.after++;
    if (was && !is) count.revived++;
    if (!was && is) count.died++;
  });
  return count;
}
