import { meanAndStd } from "../../../shared/model/groupSpread.ts";
import { quantileSorted } from "../statistics/distributions/quantile.ts";

/** The rewards of all rollouts. */
export interface RewardDistribution {
  readonly mean: number;
  readonly std: number;
  readonly min: number;
  readonly quartiles: readonly [number, number, number];
  readonly max: number;
  /** Different values. */
  readonly distinct: number;
  /** The most frequent value, the lowest of several, and the share of the rollouts that have it. */
  readonly topReward: number;
  readonly topShare: number;
  /** Rollouts in bins of one width from min to max; one bin where all rewards are the same. */
  readonly bins: readonly number[];
}

const binCount = 20;

/** Null without rewards. */
export function rewardDistribution(rewards: Float64Array): RewardDistribution | null {
  const sorted = rewards.toSorted();
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (min === undefined || max === undefined) return null;
  let [distinct, run, topReward, top] = [0, 0, min, 0];
  const bins = Array.from({ length: max > min ? binCount : 1 }, () => 0);
  const perUnit = max > min ? binCount / (max - min) : 0;
  let before = NaN;
  for (const reward of sorted) {
    run = reward === before ? run + 1 : 1;
    before = reward;
    if (run === 1) distinct++;
    if (run > top) {
      top = run;
      topReward = reward;
    }
    const bin = Math.min(bins.length - 1, Math.floor(perUnit * (reward - min)));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return {
    ...meanAndStd(sorted),
    min,
    quartiles: [quantileSorted(sorted, 0.25), quantileSorted(sorted, 0.5), quantileSorted(sorted, 0.75)],
    max,
    distinct,
    topReward,
    topShare: top / sorted.length,
    bins,
  };
}
