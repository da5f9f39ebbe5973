import * as z from "zod";

const Numbers = z.array(z.int()).min(2);

/** One problem: an expression to compute, or numbers to sort. */
export const Item = z.strictObject({
  id: z.string().min(1),
  difficulty: z.number().min(0).max(1),
  kind: z.enum(["arithmetic", "sorting"]),
  question: z.string().min(1),
  expression: z
    .string()
    .optional()
    .describe("Of arithmetic: with brackets around every operation, and blanks."),
  numbers: Numbers.optional().describe("Of sorting: in the order given."),
  answer: z.string().min(1).describe("What the answer tags have to hold."),
});
export type Item = z.infer<typeof Item>;
