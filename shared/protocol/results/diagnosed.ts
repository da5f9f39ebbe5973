import * as z from "zod";
import { LabelCount, Score } from "../../ledger/measures.ts";

/** What the diagnostics measure of a version, in the measures of the ledger. */
export const Diagnosed = z.object({
  score: Score.nullable(),
  /** The score when every rollout with an invalidating label counts as a fail. */
  cleanScore: Score.nullable(),
  signals: z.record(z.string(), z.number().nullable()),
  labels: z.array(LabelCount.extend({ name: z.string() })),
});
export type Diagnosed = z.infer<typeof Diagnosed>;
