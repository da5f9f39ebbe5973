import * as z from "zod";
import { Estimate } from "./common.ts";

/** What people's answers say of a label, over one part of the items. */
export const MeasuredByPeople = z.object({
  /** Rollouts with the label that people answered about, and those of them of which they said that it is right. */
  labelled: z.object({ asked: z.number(), right: z.number() }),
  /** Rollouts without the label that people answered about, and those of them of which they said that it is missing. */
  clear: z.object({ asked: z.number(), missed: z.number() }),
  /** The part of the labelled rollouts that it is right about; null while nobody answered about one. */
  precision: Estimate.nullable(),
  /** The part that it finds of the rollouts that should have it; null while nobody knows how many it misses. */
  recall: Estimate.nullable(),
});
export type MeasuredByPeople = z.infer<typeof MeasuredByPeople>;

/** What people's answers say of a label; the two parts are never added up. */
export const LabelByPeople = z.object({
  label: z.string(),
  heldOut: MeasuredByPeople,
  tuning: MeasuredByPeople,
});
export type LabelByPeople = z.infer<typeof LabelByPeople>;
