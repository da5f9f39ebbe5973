import * as z from "zod";
import { OpenSplit } from "./openSplit.ts";

/** What samplers would have drawn, from the pass rates of a version's items. */
export const CurriculumBacktest = z.object({
  version: z.string(),
  split: OpenSplit,
  /** Items with a known outcome, and those without one, which take no part. */
  items: z.number(),
  withoutOutcome: z.number(),
  prompts: z.number(),
  group: z.number(),
  steps: z.number(),
  keep: z.tuple([z.number(), z.number()]),
  /** Groups of the archive with two known outcomes or more; those with both, and how many the pass rates let expect. */
  archived: z.object({ groups: z.number(), live: z.number(), expected: z.number() }),
  samplers: z.array(
    z.object({
      kind: z.enum(["uniform", "easy-first", "gate", "weighted"]),
      /** Items that it can ever draw. */
      admitted: z.number(),
      /** Groups of a step that are expected to have both outcomes: mean, and the fewest and most of any step. */
      live: z.object({ mean: z.number(), least: z.number(), most: z.number() }).nullable(),
      /** Steps in which less than half of the groups are expected to be live. */
      starved: z.number(),
      /** Different items that were drawn, and how often the one that was drawn most. */
      covered: z.number(),
      most: z.number(),
    }),
  ),
});
