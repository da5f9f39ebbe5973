import * as z from "zod";
import { Name } from "../spec/common.ts";
import { verdicts } from "../words/decisions.ts";

// What is measured of a version: apart from the ledger's entries, so that a view can read it without the specs that they hold.

/** What a reader has to know before trusting an interval; docs/statistics.md says what each one means. */
const doubts = [
  "one_item",
  "too_few_items",
  "few_differ",
  "no_spread",
  "one_seed",
  "seeds_not_told",
  "few_seeds",
  "unknown_matter",
] as const;
export const Doubt = z.enum(doubts);
export type Doubt = z.infer<typeof Doubt>;

const Ends = z.tuple([z.number(), z.number()]);

/** A score with its 95 % interval; solve rates are in [0, 1]. Unknown outcomes widen it (`bounds`). */
export const Score = z.object({
  metric: z.string(),
  value: z.number(),
  low: z.number(),
  high: z.number(),
  items: z.int().nonnegative(),
  rollouts: z.int().nonnegative(),
  unknown: z.int().nonnegative(),
  bounds: z
    .tuple([z.number(), z.number()])
    .describe("Score if every unknown outcome were a fail, and if every one were a pass."),
  method: z.string().optional().describe("How the interval was made."),
  doubts: z.array(Doubt).optional(),
  outer: Ends.optional().describe("The bounds with their sampling error; absent without unknown outcomes."),
});
export type Score = z.infer<typeof Score>;

const SelectedItems = z.object({
  of: z
    .enum(["a", "b"])
    .describe("The version with more items: the one compared with (a), or the compared one (b)."),
  items: z.int().nonnegative().describe("How many of its items the other version has."),
  all: z.int().nonnegative(),
  rate: z.number().describe("Its solve rate on those items."),
  rateOfAll: z.number().describe("Its solve rate on all of its items."),
});
export type SelectedItems = z.infer<typeof SelectedItems>;

/** Outcome of a paired comparison of a version with another. */
export const Comparison = z.object({
  against: Name,
  difference: z.number(),
  low: z.number(),
  high: z.number(),
  confidence: z.number().min(0).max(1),
  verdict: z.enum(verdicts),
  selected: SelectedItems.optional().describe(
    "Why the verdict is withheld: the items of one version were selected by how the other one did on them.",
  ),
  items: z.int().nonnegative(),
  alone: z
    .tuple([z.int().nonnegative(), z.int().nonnegative()])
    .optional()
    .describe(
      "Items that only the version compared with has a known outcome of, and only this one: they are left out. Absent without any.",
    ),
  itemsNeeded: z
    .int()
    .nonnegative()
    .nullable()
    .describe("Items needed to detect a difference of this size; null when that is not known."),
  seedsNeeded: z
    .int()
    .nonnegative()
    .nullable()
    .optional()
    .describe(
      "Seeds of each version needed for it; null when the spread of seeds is unknown, or more seeds would not help.",
    ),
  detectable: z
    .number()
    .nullable()
    .optional()
    .describe("The smallest difference that is found in 80 of 100 cases with these items."),
  error: z
    .number()
    .nonnegative()
    .optional()
    .describe(
      "Standard error of the difference as it is estimated; the interval is wider where that rests on few seeds.",
    ),
  method: z.string().optional().describe("How the interval was made."),
  seeds: z.tuple([z.int(), z.int()]).optional().describe("Seeds of the other version, and of this one."),
  doubts: z.array(Doubt).optional(),
  outer: Ends.optional().describe(
    "The interval when unknown outcomes are counted either way; absent without unknown outcomes.",
  ),
});
export type Comparison = z.infer<typeof Comparison>;

/** The rules of a decision that its comparison does not show, so that it can be repeated. */
export const DecisionRules = z.object({
  confidence: z.number().gt(0).lt(1).describe("Before it is corrected for the candidates."),
  candidates: z
    .int()
    .positive()
    .describe("How many were compared with the same version, of which the best is chosen."),
  seeds: z
    .object({ own: z.array(z.int().nonnegative()), parent: z.array(z.int().nonnegative()) })
    .optional()
    .describe("The seeds that it and its parent had then; either may get further ones later."),
});
export type DecisionRules = z.infer<typeof DecisionRules>;

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/** What a version was measured on, as digests: equal ones mean equal items, evaluator, protocol and environment. */
export const MeasuredOn = z.object({
  schema: z.int().positive().describe("How the digests were made."),
  digest: Digest.describe("Of all that follows."),
  parts: z.object({
    items: Digest.describe("The items of the selection and the audit split."),
    evaluator: Digest.describe("The files that evaluation.files names."),
    protocol: Digest.describe(
      "Settings in evotrainer.yaml: splits, metric, seeds, limits, the trainer's command.",
    ),
    environment: Digest.describe("All other files of the commit, as far as no surface covers them."),
  }),
  data: z.record(z.string(), Digest).describe("What trainer.data names, by path: it is not in git."),
  unconfined: z
    .string()
    .optional()
    .describe("Why a job that measured it was not confined; earlier releases did not record it."),
});
export type MeasuredOn = z.infer<typeof MeasuredOn>;

export const LabelCount = z.object({
  name: Name,
  severity: z.enum(["info", "warning", "critical"]),
  labelled: z.int().nonnegative(),
  rollouts: z.int().nonnegative(),
  alert: z.enum(["warning", "critical"]).nullable(),
  invalidates: z.boolean(),
  revision: z.string().optional().describe("The revision of the diagnostic that set it."),
  over: z
    .enum(["rollout", "group"])
    .optional()
    .describe("What labelled and rollouts count; by default rollouts."),
  split: z
    .enum(["train", "selection", "audit"])
    .optional()
    .describe("Of groups: the split that they were counted in; training, where that has any."),
  undecided: z
    .int()
    .nonnegative()
    .optional()
    .describe("How many of them the evidence leaves open: it does not say whether the label holds."),
  onTrial: z
    .literal(true)
    .optional()
    .describe("It was admitted on trial: it cannot make a version invalid yet."),
  refutedBy: z
    .object({ labelled: z.int().nonnegative(), passes: z.int().nonnegative() })
    .optional()
    .describe("Why there is no alert above its threshold: so many of the passes carry it as well."),
  under: Name.optional().describe(
    "Another label that is on the same rollouts, or on nearly the same (at least 95 % of those that either is on): lists name this one with it.",
  ),
  tooFew: z
    .literal(true)
    .optional()
    .describe("Why there is no alert above its threshold: its interval reaches below it."),
});
export type LabelCount = z.infer<typeof LabelCount>;
