import * as z from "zod";
import { verdicts } from "../../words/decisions.ts";

const Ends = z.object({ low: z.number(), high: z.number() });

/** A solve rate on one set of items, without a look at which items were solved. */
export const ScoreOnSet = z.object({
  score: z.number().describe("The solve rate, in [0, 1]."),
  n: z.number().describe("Rollouts with a known outcome."),
  unknown: z.number().describe("Further rollouts, whose outcome is unknown."),
  items: z.number().nullable().describe("How many items they are of; null where nobody says."),
  fewest: z
    .number()
    .nullable()
    .describe("How many independent trials the rollouts are worth at least; null where nobody can say."),
  bySeed: z.array(z.number()).describe("The score of each seed; empty where they are not told apart."),
  seeds: z.number().nullable().describe("Training runs behind it; null where nobody says."),
  set: z.string().nullable().describe("What it was measured on; null where nobody says."),
  from: z.enum(["rollouts", "reported"]),
});

/** Two versions by their scores alone, on each set that both were measured on. */
export const ScoreComparison = z.object({
  version: z.string(),
  against: z.string(),
  comparisons: z.array(
    z.object({
      set: z.string().nullable(),
      a: ScoreOnSet,
      b: ScoreOnSet,
      difference: z.number(),
      verdict: z.enum(verdicts),
      withheld: z
        .enum([
          "items_differ",
          "items_not_told",
          "few_items",
          "items_may_agree",
          "seeds_differ",
          "unknown_matter",
        ])
        .nullable()
        .describe("Why there is no verdict, although single rollouts do not explain the difference."),
      narrow: Ends.describe("As if every rollout were an independent trial."),
      wide: Ends.nullable().describe(
        "As if the rollouts of an item all ended alike, or as they agree where that is known; null without a number of items.",
      ),
      overSeeds: Ends.nullable().describe("Over the seeds of both; null where either has fewer than two."),
      outer: Ends.nullable().describe("With unknown outcomes counted either way; null without any."),
    }),
  ),
  sentences: z.array(z.string()).describe("All of it, the verdicts first, and how far the comparison goes."),
});
