import * as z from "zod";
import { verdicts } from "../words/decisions.ts";

// What became of a version's hypothesis: recorded with its decision, whatever the decision is.

/** as_said: in the named direction. against: in the other one. not: no difference was found. */
export const movements = ["as_said", "against", "not", "cannot_tell"] as const;
export type Movement = (typeof movements)[number];

export const predictionResults = ["hit", "within_noise", "opposite", "not_measured"] as const;
export type PredictionResult = (typeof predictionResults)[number];

/** How a label's share, or a finding, changed. */
export const shiftKinds = [
  "appeared",
  "vanished",
  "rose",
  "fell",
  "within_noise",
  "cannot_tell",
  "not_measured",
] as const;
export type ShiftKind = (typeof shiftKinds)[number];

/** What a name speaks of: shares of rollouts or of groups, or a finding about the version as a whole. */
const Over = z.enum(["rollout", "group", "version"]);

/** A share before and after, in [0, 1], and its difference with a 95 % interval; of a finding all are null. */
const Moved = z.object({
  from: z.number().nullable(),
  to: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});

export const CheckedName = Moved.extend({
  name: z.string(),
  over: Over,
  result: z.enum(predictionResults),
});
export type CheckedName = z.infer<typeof CheckedName>;

export const SideEffect = Moved.extend({
  name: z.string(),
  over: Over,
  kind: z.enum(shiftKinds),
});
export type SideEffect = z.infer<typeof SideEffect>;

/** The versions compared where each did best, beside the comparison at the last evaluation. */
export const BestSteps = z.object({
  step: z.int().describe("Where this version did best."),
  parentStep: z.int().describe("Where its parent did best."),
  difference: z.number(),
  low: z.number(),
  high: z.number(),
  verdict: z.enum(verdicts),
  holds: z.boolean().describe("Whether the verdict at the best steps is the one that the decision goes by."),
});
export type BestSteps = z.infer<typeof BestSteps>;

export const HypothesisResult = z.object({
  metric: z.string(),
  direction: z.enum(["increase", "decrease"]),
  unit: z.enum(["share", "value"]).describe("A share in [0, 1], or a number in the unit of the evidence."),
  ...Moved.shape,
  moved: z.enum(movements),
  because: z.string().optional().describe("Why it cannot be told, or why there is no interval."),
  fixes: z.array(CheckedName).describe("What should become rarer, and what it did."),
  risks: z.array(CheckedName).describe("What was expected to become more frequent, and what it did."),
  sideEffects: z.array(SideEffect).describe("What moved without having been foreseen."),
  bestSteps: BestSteps.optional().describe("Absent where one of the two was evaluated once."),
});
export type HypothesisResult = z.infer<typeof HypothesisResult>;
