import * as z from "zod";
import { Comparison } from "../../ledger/measures.ts";
import { Parting } from "./parting.ts";

/** Two rollouts of an item with different outcomes, and the first action in which they differ. */
const FlipDivergence = z.object({
  before: z.object({ run: z.string(), id: z.string() }),
  after: z.object({ run: z.string(), id: z.string() }),
  /** Indices into the turns of the two; null when their turns are the same, or no longer in the archive. */
  first: Parting.nullable(),
});

/** Samples by what became of them. `unknown` counts samples whose evaluator failed; they are neither pass nor fail. */
const OutcomeCounts = z.object({ pass: z.number(), fail: z.number(), unknown: z.number() });

const Flip = z.object({
  divergence: FlipDivergence.nullable(),
  item: z.string(),
  direction: z.enum(["fixed", "broken"]),
  before: OutcomeCounts,
  after: OutcomeCounts,
});
export type Flip = z.infer<typeof Flip>;

/** How a version compares with another on the items that both have: numbers to draw, and sentences that say all of it. */
export const PairedComparison = Comparison.extend({
  against: z.string(),
  sentences: z.array(z.string()),
  notValid: z
    .array(z.object({ version: z.string(), says: z.string() }))
    .optional()
    .describe(
      "Which of the two is not to be trusted, and why: the difference then says nothing. Absent where both are.",
    ),
  broken: z
    .object({
      a: z.int().nonnegative(),
      b: z.int().nonnegative(),
      reasons: z.array(z.string()),
      without: Comparison.pick({ difference: true, low: true, high: true, verdict: true }).nullable(),
    })
    .optional()
    .describe(
      "Rollouts that count as failed although the grader or the machine broke, by their stop reasons, and the comparison with their outcomes unknown. Absent where there are none.",
    ),
  metric: z.string(),
  flipped: z.object({
    fixed: z.number(),
    broken: z.number(),
    same: z.number(),
    /** Chance of as uneven a split into fixed and broken if nothing had changed: McNemar's exact test, with several samples per item the sign test over items. */
    p: z.number(),
  }),
  flips: z.array(Flip),
});
export type PairedComparison = z.infer<typeof PairedComparison>;
