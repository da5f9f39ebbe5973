import type { RunMetric } from "../../../shared/protocol/views/runs.ts";
import { glossary } from "../../../shared/words/glossary.ts";
import { betterWords } from "../../../shared/words/metricWords.ts";

/** What the chart of a metric is called, what that means for who points at it, and which way is better. */
export const metricTitles: Readonly<
  Record<RunMetric, { readonly title: string; readonly hint: string; readonly better: string }>
> = {
  reward: {
    title: "Reward",
    hint: "Mean reward of the rollouts of a step, by each version's own terms and weights. Rewards of other terms are not compared: compare the solve rate",
    better: betterWords.higher,
  },
  score: { title: "Solve rate", hint: "What the trainer logs as its score", better: betterWords.higher },
  kl: {
    title: "KL",
    hint: "How far the policy has gone from the one that it started as. Of two runs that solve as much, the one that went less far is better",
    better: `${betterWords.lower} at the same solve rate`,
  },
  entropy: {
    title: "Entropy",
    hint: "How open the policy's choices still are; near 0 it always does the same",
    better: betterWords.neither,
  },
  flat_groups: { title: "Dead groups", hint: glossary["dead group"], better: betterWords.lower },
  response_length: {
    title: "Length",
    hint: "Mean length of a response, in tokens",
    better: betterWords.neither,
  },
};
