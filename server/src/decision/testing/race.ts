import { pointsWithin } from "../../../../shared/words/numbers.ts";
import { compareWithNoise } from "./noisyComparison.ts";
import type { Race, RaceInput, RaceSpent } from "./testing.ts";

/** Before the first checkpoint. */
export const noRace: RaceSpent = { looks: 0, chance: 0 };

/**
 * At a checkpoint that both evaluated: whether the candidate is worse than its parent was at the same step. The error rate
 * is shared equally among the checkpoints of a training, so that its intervals hold together: a candidate that is as good
 * at every checkpoint is stopped with at most this chance, whichever checkpoints were looked at. The spread between seeds is
 * part of the interval; while nothing is known about it, nothing is stopped.
 */
export function race({ candidate, parent, step, checkpoints, noise, rules, spent }: RaceInput): Race {
  const tail = rules.errorRate / Math.max(1, checkpoints);
  const goesOn = (reason: string, comparison: Race["comparison"] = null, to = spent): Race => ({
    ...{ stop: false, atStep: null, comparison, reason, spent: to },
  });
  if (spent.looks >= checkpoints)
    return goesOn(`Step ${step}: all ${checkpoints} planned checkpoints have been compared before.`);
  if (noise.degrees === 0)
    return goesOn(`Step ${step}: no version has two seeds yet, so nobody knows how much seeds differ.`);
  const found = compareWithNoise(parent, candidate, { metric: rules.metric, noise, tail });
  if (found === null)
    return goesOn(`Step ${step}: no item has a known outcome in both ${candidate.name} and ${parent.name}.`);
  const { comparison } = found;
  const after: RaceSpent = { looks: spent.looks + 1, chance: spent.chance + tail };
  const seen = `${pointsWithin(comparison.difference, comparison.low, comparison.high)} against ${parent.name} at step ${step}`;
  return comparison.verdict === "regressed"
    ? { stop: true, atStep: step, comparison, reason: `Stopped, because it is worse: ${seen}.`, spent: after }
    : goesOn(`Goes on: ${seen}.`, comparison, after);
}
