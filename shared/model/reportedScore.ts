import * as z from "zod";

const Count = z.int().nonnegative();

/** A solve rate that somebody reports for a version, without the rollouts behind it. */
export const ReportedScore = z
  .strictObject({
    version: z.string().trim().min(1).max(200).describe("The version that was measured."),
    score: z.number().min(0).max(1).describe("Share of the rollouts with a known outcome that passed."),
    n: z.int().positive().describe("How many rollouts with a known outcome the score is of."),
    items: z.int().positive().optional().describe("How many items these rollouts are of."),
    unknown: Count.optional().describe(
      "Further rollouts whose outcome is unknown; by default none is reported.",
    ),
    seed: Count.optional().describe(
      "The seed of the one training run that was measured; a row for each seed.",
    ),
    seeds: z.int().positive().optional().describe("How many training runs the score is the mean of."),
    set: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe("What it was measured on; only scores of the same set are compared."),
    note: z.string().max(2000).optional().describe("Where the number comes from."),
  })
  .superRefine(({ n, items, seed, seeds }, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if (items !== undefined && items > n) issue("items", `${items} items cannot have only ${n} rollouts.`);
    if (seed !== undefined && seeds !== undefined)
      issue("seeds", "Give the seed of one training run, or how many the score is the mean of, not both.");
  });
export type ReportedScore = z.infer<typeof ReportedScore>;
