import { meanAndStd } from "../../../shared/model/groupSpread.ts";
import { quantileSorted } from "../statistics/bootstrap.ts";

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
  sorted.forEach((reward, i) => {
    run = reward === sorted[i - 1] ? run + 1 : 1;
    if (run === 1) distinct++;
    if (run > top) [topReward, top] = [reward, run];
  });
  const bins = Array.from({ length: max > min ? binCount : 1 }, () => 0);
  for (const reward of sorted) {
    const bin = max > min ? Math.min(binCount - 1, Math.floor((binCount * (reward - min)) / (max - min))) : 0;
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
