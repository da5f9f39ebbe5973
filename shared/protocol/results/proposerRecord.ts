import * as z from "zod";

const Tally = z.object({
  predicted: z.number(),
  hits: z.number(),
  withinNoise: z.number(),
  opposite: z.number(),
  notMeasured: z.number(),
  unforeseen: z.number(),
  precision: z.number().nullable(),
  recall: z.number().nullable(),
  byChance: z.number(),
});
/** How earlier predictions of a proposer came out. */
export const ProposerRecord = z.object({
  proposer: z.string(),
  versions: z.number(),
  measured: z.number(),
  fixes: Tally,
  risks: Tally,
});
export type ProposerRecord = z.infer<typeof ProposerRecord>;
