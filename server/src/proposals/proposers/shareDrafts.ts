import { betaQuantile } from "../../statistics/distributions/beta.ts";
import type { TrackRecord } from "./trackRecord.ts";

/**
 * Who proposes each of the next drafts: a cost-aware bandit by Thompson sampling (Thompson 1933; per cost as in Ding et al.,
 * AAAI 2013). What a proposer's predictions are worth is drawn from Beta(1 + came true, 1 + did not), and divided by
 * what one of its drafts takes beside those of the others. One of whom nothing is known takes as long as the others do, and
 * is asked until something is known. Keeps are too rare to learn from.
 *
 * @param random gives numbers in [0, 1): the same numbers give the same shares
 * @returns how many drafts each is asked for, in the order of `records`, without those that are asked for none
 */
export function shareDrafts(
  count: number,
  records: readonly TrackRecord[],
  random: () => number,
): { readonly proposer: string; readonly count: number }[] {
  const known = records.flatMap(({ seconds }) => (seconds === null || seconds <= 0 ? [] : [seconds]));
  const usual = known.length === 0 ? 1 : known.reduce((total, s) => total + s, 0) / known.length;
  const shares = new Map(records.map(({ proposer }) => [proposer, 0]));
  for (let place = 0; place < count; place++) {
    let best: { readonly proposer: string; readonly worth: number } | undefined;
    for (const { proposer, judged, cameTrue, seconds } of records) {
      const drawn = betaQuantile(random(), 1 + cameTrue, 1 + judged - cameTrue);
      const worth = drawn / (seconds === null || seconds <= 0 ? 1 : seconds / usual);
      if (best === undefined || worth > best.worth) best = { proposer, worth };
    }
    if (best !== undefined) shares.set(best.proposer, (shares.get(best.proposer) ?? 0) + 1);
  }
  return [...shares].flatMap(([proposer, share]) => (share > 0 ? [{ proposer, count: share }] : []));
}
