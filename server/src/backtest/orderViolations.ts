import { zeroSpread } from "../../../shared/model/groupSpread.ts";
import { outcomeCodes } from "../evidence/queries/groupColumns.ts";

/** Worse outcomes that end with a higher reward, within groups; unknown outcomes take no part. */
export interface OrderViolations {
  /** Failed rollouts above at least one passed rollout of their group. */
  readonly rollouts: number;
  /** Pairs of a failed and a passed rollout of one group in which the failed one is above. */
  readonly pairs: number;
  /** Groups with such a pair. */
  readonly groups: number;
  /** All pairs of a failed and a passed rollout of one group; 0 where there is no order to violate. */
  readonly comparable: number;
}

export function orderViolations(
  rewards: Float64Array,
  outcomes: Uint8Array,
  offsets: Uint32Array,
): OrderViolations {
  const found = { rollouts: 0, pairs: 0, groups: 0, comparable: 0 };
  for (let g = 0; g + 1 < offsets.length; g++) {
    const from = offsets[g] ?? 0;
    const to = offsets[g + 1] ?? 0;
    let [passes, fails, lowestPass, highestFail] = [0, 0, Infinity, -Infinity];
    for (let i = from; i < to; i++) {
      const reward = rewards[i] ?? NaN;
      if (outcomes[i] === outcomeCodes.pass) {
        passes++;
        if (reward < lowestPass) lowestPass = reward;
      } else if (outcomes[i] === outcomeCodes.fail) {
        fails++;
        if (reward > highestFail) highestFail = reward;
      }
    }
    found.comparable += passes * fails;
    if (!(highestFail > lowestPass + zeroSpread)) continue;
    found.groups++;
    const passed = new Float64Array(passes);
    let next = 0;
    for (let i = from; i < to; i++) if (outcomes[i] === outcomeCodes.pass) passed[next++] = rewards[i] ?? NaN;
    // Looking at each one is faster than a sort where they are few.
    const few = passes <= 16;
    if (!few) passed.sort();
    for (let i = from; i < to; i++) {
      if (outcomes[i] !== outcomeCodes.fail) continue;
      const reward = (rewards[i] ?? NaN) - zeroSpread;
      const below = few ? countAll(passed, reward) : countBelow(passed, reward);
      found.pairs += below;
      if (below > 0) found.rollouts++;
    }
  }
  return found;
}

function countAll(values: Float64Array, limit: number): number {
  let count = 0;
  for (let i = 0; i < values.length; i++) if ((values[i] ?? NaN) < limit) count++;
  return count;
}

/** How many of the sorted values are below a value. */
function countBelow(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? NaN) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
