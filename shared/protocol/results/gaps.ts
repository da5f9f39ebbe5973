import * as z from "zod";
import { NewWay } from "../../ledger/newWay.ts";
import { Estimate } from "./common.ts";
import { OpenSplit } from "./openSplit.ts";

const Overlap = z.object({
  label: z.string(),
  jaccard: z.number().describe("Rollouts that carry both, divided by those that carry one of them."),
});

/** A diagnostic that nobody wrote, with how it did on rollouts that it was not made from. */
export const GapDraft = z.object({
  name: z.string(),
  contrast: z.string(),
  says: z.string().describe("What it tells apart."),
  when: z.string(),
  evidence: z.string().nullable(),
  support: z.number().describe("Unseen rollouts for which it holds."),
  precision: Estimate.nullable().describe("Over items, with its 95 % interval."),
  recall: Estimate.nullable(),
  base: z.number().describe("The precision of a condition that always holds."),
  overlaps: z.array(Overlap).describe("The labels in force that it is most like, on unseen rollouts."),
  withheld: z
    .array(Overlap)
    .describe("The same for the labels that were left out, which nothing was chosen by."),
  examples: z.array(z.object({ rollout: z.string(), turns: z.array(z.number()) })),
  text: z.string().describe("The text of its *.diagnostic.yaml."),
});
export type GapDraft = z.infer<typeof GapDraft>;

/** What the labels in force leave open in a version. */
export const VersionGaps = z.object({
  version: z.string(),
  against: z.string().nullable(),
  split: OpenSplit,
  seed: z.number(),
  rollouts: z.number(),
  gaps: z.array(
    z.object({
      kind: z.enum(["new-way", "unexplained", "no-longer-separates", "unanswered", "disagrees"]),
      label: z.string().nullable(),
      message: z.string(),
    }),
  ),
  newWays: z
    .array(NewWay)
    .describe("New ways to pass, the one that most new passes share first; none without another version."),
  trend: z.array(z.object({ at: z.string(), unexplained: z.number(), failures: z.number() })),
  induced: z.object({
    from: z.number().describe("Rollouts that drafts were made from."),
    judgedOn: z.number().describe("Rollouts that they were judged on; no item is in both."),
    tried: z.number().describe("Drafts that were judged."),
    chance: z.number().describe("Those left out because they tell no more than chance there."),
    repeats: z.number().describe("Those left out because they repeat a label in force or another draft."),
  }),
  drafts: z.array(GapDraft),
  problems: z.array(z.string()),
});
export type VersionGaps = z.infer<typeof VersionGaps>;
