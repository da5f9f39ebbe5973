import * as z from "zod";
import { Factor, Name } from "../spec/common.ts";
import { InterventionSpec } from "../spec/intervention.ts";
import { noteKinds } from "../model/noteKinds.ts";
import { decisions, gateAnswers, verdicts } from "../words/decisions.ts";
import { FailureClass } from "../model/failureClass.ts";

export const Decision = z.enum(decisions);
export type Decision = z.infer<typeof Decision>;

const Commit = z.string().regex(/^[0-9a-f]{40,64}$/);
const Probability = z.number().min(0).max(1);

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

/** Outcome of a paired comparison of a version with another. */
export const Comparison = z.object({
  against: Name,
  difference: z.number(),
  low: z.number(),
  high: z.number(),
  confidence: Probability,
  verdict: z.enum(verdicts),
  items: z.int().nonnegative(),
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
  method: z.string().optional().describe("How the interval was made."),
  seeds: z.tuple([z.int(), z.int()]).optional().describe("Seeds of the other version, and of this one."),
  doubts: z.array(Doubt).optional(),
  outer: Ends.optional().describe(
    "The interval when unknown outcomes are counted either way; absent without unknown outcomes.",
  ),
});
export type Comparison = z.infer<typeof Comparison>;

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
  undecided: z
    .int()
    .nonnegative()
    .optional()
    .describe("How many of them the evidence leaves open: it does not say whether the label holds."),
});
export type LabelCount = z.infer<typeof LabelCount>;

/** A number that another tool measured: of any range, with no interval, since the tool gives none. */
export const Measured = z.object({
  metric: z.string(),
  value: z.number().nullable(),
  direction: z
    .enum(["higher", "lower"])
    .nullable()
    .describe("Which way is better; null when it is not known."),
  unit: z.string().nullable(),
});
export type Measured = z.infer<typeof Measured>;

/** Where an imported version comes from. */
export const Origin = z.object({
  format: z.string(),
  lineage: z.string(),
  key: z.string().describe("Its id in the source, as it is written there."),
  parents: z.array(z.string()),
  status: z.string().nullable().describe("The word that the source uses."),
  note: z.string(),
  missing: z.boolean().describe("Only named as a parent: no file contains it."),
  digest: z.string().describe("A digest of what the commit was made from."),
});
export type Origin = z.infer<typeof Origin>;

const common = {
  /** Unique and deterministic where a step may be repeated after a crash: appending the same id twice keeps one. */
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/),
  at: z.iso.datetime(),
  domain: Name,
};

/** Ledgers written before the word was `reject` say `abort`; they are read as if it had always been one word. */
const GateAnswer = z.preprocess((word) => (word === "abort" ? "reject" : word), z.enum(gateAnswers));

/** One entry of the ledger: what happened, never changed, never deleted. */
export const LedgerEntry = z.discriminatedUnion("type", [
  z.object({
    ...common,
    type: z.literal("version"),
    version: Name,
    commit: Commit,
    parent: Name.nullable(),
    generation: z.int().nonnegative(),
    factor: Factor.nullable(),
    intervention: Name.nullable(),
    title: z.string(),
    origin: Origin.optional().describe("Where a version comes from that another tool made."),
  }),
  z.object({
    ...common,
    type: z.literal("hypothesis"),
    version: Name,
    statement: z.string(),
    targets: z.array(z.string()),
    predictedFixes: z.array(Name),
    predictedRisks: z.array(Name),
    proposer: Name.optional().describe("Who proposed it; the catalogue when absent."),
    spec: InterventionSpec.optional().describe("The intervention as it was proposed."),
    speaksOf: z
      .enum(["part", "none"])
      .optional()
      .describe(
        "If the change was altered at its gate: whether the claim still covers part of it, or nothing.",
      ),
  }),
  z.object({
    ...common,
    type: z.literal("backtest"),
    version: Name,
    summary: z.string(),
    figures: z.record(z.string(), z.number().nullable()),
  }),
  z.object({
    ...common,
    type: z.literal("approval"),
    version: Name,
    gate: z.enum(["diagnosis", "design", "backtest", "completion"]),
    answer: GateAnswer,
    by: z.string().min(1),
    comment: z.string().optional(),
    commit: Commit.optional().describe(
      "For approve: what was taken, if not everything that was proposed. For revise: the changed text that waits instead.",
    ),
    hunks: z
      .object({ taken: z.int().nonnegative(), of: z.int().nonnegative() })
      .optional()
      .describe("How many of the proposed hunks were taken, if not all of them."),
    change: z
      .object({ title: z.string(), factor: Factor.nullable() })
      .optional()
      .describe("What `commit` really changes; earlier releases did not record it."),
  }),
  z.object({
    ...common,
    type: z.literal("waiver"),
    version: Name.describe("The quarantined version that the revision would let through."),
    diagnostic: Name,
    revision: z
      .string()
      .min(1)
      .nullable()
      .describe("What was accepted; null when the diagnostic was removed."),
    by: z.string().min(1),
    reason: z.string().min(1),
  }),
  z.object({
    ...common,
    type: z.literal("job"),
    version: Name,
    job: z.string(),
    state: z.enum(["finished", "failed"]),
    failure: FailureClass.nullable(),
    message: z.string(),
    seconds: z.number().nonnegative().nullable().describe("Null when another tool ran it and does not say."),
  }),
  z.object({
    ...common,
    type: z.literal("evidence"),
    version: Name,
    split: z.enum(["selection", "audit"]),
    score: Score.nullable(),
    cleanScore: Score.nullable().describe(
      "The score when every rollout with an invalidating label counts as a fail.",
    ),
    labels: z.array(LabelCount),
    signals: z.record(z.string(), z.number().nullable()),
    measured: Measured.optional().describe("What another tool decided by, if that was not a solve rate."),
  }),
  z.object({
    ...common,
    type: z.literal("decision"),
    version: Name,
    decision: Decision,
    reason: z.string().min(1),
    comparison: Comparison.nullable(),
    evidence: z
      .array(z.object({ rollout: z.string(), turns: z.array(z.int().nonnegative()), label: Name }))
      .describe("Rollouts and turns that show the reason."),
  }),
  z.object({
    ...common,
    type: z.literal("promotion"),
    version: Name,
    gap: z.number().nullable(),
    reason: z.string(),
  }),
  z.object({
    ...common,
    type: z.literal("note"),
    version: Name,
    what: z
      .enum(noteKinds)
      .describe(
        "A text, a tag that is added or removed, or another name for the version; the last name counts.",
      ),
    value: z.string().max(10_000).describe("Empty only to remove a name."),
    by: z.string().min(1),
  }),
]);
export type LedgerEntry = z.infer<typeof LedgerEntry>;
