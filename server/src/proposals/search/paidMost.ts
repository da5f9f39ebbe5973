import { activeTerms, termFunction, type RewardTerms } from "../../../../shared/reward/reward.ts";
import type { RewardComponent } from "../../../../shared/spec/reward.ts";
import { signalOf } from "../../backtest/rewardColumn.ts";
import { outcomeCodes, type GroupColumns } from "../../evidence/queries/groupColumns.ts";
import { wilson } from "../../statistics/intervals/proportions.ts";

/** How the archived rollouts ended that a new term of the reward would have paid most. */
export interface PaidMost {
  readonly term: string;
  /** The rollouts that it pays most, and how many of them passed. */
  readonly rollouts: number;
  readonly passed: number;
  /** The share in [0, 1] that passed of all rollouts in groups in which the term differs. */
  readonly usual: number;
}

/** The share of the rollouts that counts as those that are paid most, and how many they are at least. */
const [mostShare, leastMost] = [0.01, 20] as const;

/**
 * Looks for each term that begins to count at the rollouts that it pays most: what a policy does that learns to be paid for
 * it (best-of-n, Gao et al. 2022, arXiv 2210.10760). A function of rewards before and after, which remembers terms; answers
 * the term whose rollouts passed the least, or null where no term begins to count or too few rollouts have it, or too many.
 */
export function paidMostIn(
  columns: GroupColumns,
  before: RewardTerms,
): (after: RewardTerms) => PaidMost | null {
  const were = new Set(activeTerms(before).map(({ name }) => name));
  const known = new Map<string, PaidMost | null>();
  return (after) => {
    let worst: PaidMost | null = null;
    for (const { name, signal, term } of activeTerms(after)) {
      if (were.has(name)) continue;
      const key = JSON.stringify([name, signal, { ...term, weight: Math.sign(term.weight) }]);
      const found = known.has(key)
        ? (known.get(key) ?? null)
        : paidMost(columns, { name, values: signalOf(columns, signal).values, term });
      known.set(key, found);
      if (found !== null && (worst === null || passingSignal(found) < passingSignal(worst))) worst = found;
    }
    return worst;
  };
}

function paidMost(
  { groups, offsets, outcomes }: GroupColumns,
  {
    name,
    values,
    term,
  }: { readonly name: string; readonly values: Float64Array; readonly term: RewardComponent },
): PaidMost | null {
  const pay = termFunction(term);
  const paid = new Float64Array(values.length);
  const places = new Uint32Array(values.length);
  let open = 0;
  for (let g = 0; g < groups; g++) {
    const start = open;
    let [least, most] = [Infinity, -Infinity];
    for (let i = offsets[g] ?? 0; i < (offsets[g + 1] ?? 0); i++) {
      const value = pay(values[i] ?? NaN);
      if (!Number.isFinite(value) || outcomes[i] === outcomeCodes.unknown) continue;
      [least, most] = [Math.min(least, value), Math.max(most, value)];
      paid[open] = value;
      places[open++] = i;
    }
    // What is paid alike in a whole group teaches nothing.
    if (!(most > least)) open = start;
  }
  const count = Math.max(leastMost, Math.ceil(open * mostShare));
  const limit = paid.slice(0, open).sort()[open - count] ?? -Infinity;
  const found = { term: name, rollouts: 0, passed: 0 };
  let passes = 0;
  for (let k = 0; k < open; k++) {
    const isPass = outcomes[places[k] ?? 0] === outcomeCodes.pass;
    if (isPass) passes++;
    if ((paid[k] ?? 0) < limit) continue;
    found.rollouts++;
    if (isPass) found.passed++;
  }
  // Where half or more are paid the most, or the most is hardly ever paid, there is nothing to tell apart.
  return found.rollouts >= open / 2 ? null : { ...found, usual: passes / open };
}

/**
 * What it says of passing, in (-1, 1): above 0 if those who are paid most passed more often than usual. Two more rollouts
 * that are as usual count with them, so that few say little.
 */
export function passingSignal({ rollouts, passed, usual }: PaidMost): number {
  const share = (passed + 2 * usual) / (rollouts + 2);
  return share + usual === 0 ? 0 : (share - usual) / (share + usual);
}

/** Whether those who are paid most clearly passed less often than usual: by the upper end of Wilson's interval of 95 %. */
export const paysForFailing = ({ rollouts, passed, usual }: PaidMost): boolean =>
  wilson({ share: passed / rollouts, size: rollouts }).high < usual;
