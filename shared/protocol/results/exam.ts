import * as z from "zod";

const Figure = z.object({
  value: z.number(),
  low: z.number().nullable(),
  high: z
    .number()
    .nullable()
    .describe("Of the 95 % interval; null where there are fewer than three moments."),
});

/** Answer of `proposals.exam`: how a proposer ranks drafts whose outcome it is not told, against what was measured. */
export const ProposerExam = z.object({
  proposer: z.string(),
  domain: z.string(),
  moments: z
    .int()
    .describe(
      "Versions of which two or more changes were measured; it is asked at the moment at which the first was chosen.",
    ),
  drafts: z.int(),
  byScore: z
    .int()
    .describe("Drafts whose effect is the difference of two recorded scores, without an interval."),
  leftOut: z
    .array(z.object({ because: z.string(), versions: z.int() }))
    .describe("How many versions it cannot ask about, and why, the most frequent reason first."),
  hitRate: Figure.describe("How often the draft that it expected most of was the best one, in [0, 1]."),
  byChance: z.number().describe("How often one at random would have been."),
  above: Figure.describe("Hit rate less chance."),
  tau: Figure.nullable().describe("Kendall's tau-b within moments; 0 is chance; null where all are ties."),
  answers: z.array(
    z.object({
      parent: z.string(),
      generation: z.int(),
      drafts: z
        .array(
          z.object({
            version: z.string(),
            effect: z
              .number()
              .nullable()
              .describe("On the score, the more the better; null for an invalid version."),
            by: z
              .enum(["comparison", "score"])
              .describe("Score: the difference to the parent's recorded score, without an interval."),
            metric: z
              .string()
              .nullable()
              .describe("What another tool measured, in its own unit; null for a share of solved items."),
            place: z.int().describe("From 1; equal places are ties."),
          }),
        )
        .describe("In the proposer's order."),
    }),
  ),
});
export type ProposerExam = z.infer<typeof ProposerExam>;
