import * as z from "zod";
import { flowKinds } from "../../model/flowKinds.ts";
import { verdicts } from "../../words/decisions.ts";
import { OpenSplit } from "./openSplit.ts";
import { ProposerRecord } from "./proposerRecord.ts";

/** How many went from which class in version a (rows) to which in b (columns). */
const FlowMatrix = z.object({
  classes: z.array(z.string()),
  counts: z.array(z.array(z.number())),
  /** Per class in a, and per class in b. */
  before: z.array(z.number()),
  after: z.array(z.number()),
  total: z.number(),
});

/** How often a label holds in one version; `rate` is over the decided ones, null where nothing could be decided. */
const LabelRate = z.object({
  labelled: z.number(),
  decided: z.number(),
  undecided: z.number(),
  rollouts: z.number(),
  items: z.number(),
  rate: z.number().nullable(),
  /** Of all if every undecided one were clear, and if every one carried the label. */
  bounds: z.tuple([z.number(), z.number()]),
  /** The part that could be decided; below a half there is no verdict. */
  coverage: z.number(),
});

/** One metric of one version along its training, as few points as asked for: the mean of each, and the ends over steps and runs. */
const MetricSeries = z.object({
  version: z.string(),
  name: z.string(),
  runs: z.number(),
  points: z.array(
    z.object({
      /** The mean step of what the point stands for, and how many values that are. */
      step: z.number(),
      values: z.number(),
      mean: z.number(),
      min: z.number(),
      max: z.number(),
    }),
  ),
});

const Foreseen = z.enum(["hit", "within_noise", "not_measured", "opposite"]);
const CheckedPrediction = z.object({
  version: z.string(),
  parent: z.string(),
  proposer: z.string(),
  measured: z.boolean(),
  lacking: z
    .array(z.string())
    .exactOptional()
    .describe("Where it was not measured: which of the two versions have no rollouts."),
  notValid: z
    .array(z.string())
    .exactOptional()
    .describe("Which of the two are not to be trusted: nothing came true or false by their numbers."),
  fixes: z.array(z.object({ label: z.string(), result: Foreseen })),
  risks: z.array(z.object({ label: z.string(), result: Foreseen })),
  /** Labels that became rarer, or more frequent, without having been foreseen. */
  unforeseenFixes: z.array(z.string()),
  unforeseenRisks: z.array(z.string()),
});

export const Flow = z.object({
  problems: z.array(z.string()),
  by: z.enum(flowKinds),
  /** Items that both versions have. */
  items: FlowMatrix,
  /** Items that only one has. */
  itemsOnlyIn: z.object({ a: z.number(), b: z.number() }),
  /** Rollouts paired by item and sample; null where they cannot be. */
  rollouts: FlowMatrix.nullable(),
  unpaired: z.object({ a: z.number(), b: z.number() }),
  /** What a reader has to know, one sentence each. */
  notes: z.array(z.string()),
  a: z.string(),
  b: z.string(),
  split: OpenSplit,
});
export type Flow = z.infer<typeof Flow>;

export const LabelShifts = z.object({
  a: z.string(),
  b: z.string(),
  split: OpenSplit,
  shifts: z.array(
    z.object({
      says: z.string(),
      label: z.string(),
      a: LabelRate,
      b: LabelRate,
      /** b − a with its 95 % interval: over the common items where it is paired. */
      difference: z.number().nullable(),
      low: z.number().nullable(),
      high: z.number().nullable(),
      method: z.enum(["paired bootstrap over items", "Newcombe, items as clusters"]).nullable(),
      commonItems: z.number(),
      /** Permutation test of no difference, alone and after Holm's correction for the labels that either version has. */
      p: z.number().nullable(),
      adjusted: z.number().nullable(),
      kind: z.enum(["appeared", "vanished", "rose", "fell", "within_noise", "cannot_tell", "not_measured"]),
      seen: z.enum(["neither", "both", "only_a", "only_b"]),
      verdict: z
        .enum(verdicts)
        .exactOptional()
        .describe(
          "Whether the change is one for the better or the worse. Left out of what was not measured, and of a change of a label that only gives information: of it nobody says whether less is better.",
        ),
      /** Another label that is on exactly the same rollouts of both versions: lists name this one with it. */
      under: z.string().exactOptional(),
    }),
  ),
  notes: z.array(z.string()),
  problems: z.array(z.string()),
});
export type LabelShifts = z.infer<typeof LabelShifts>;

export const Curves = z.object({
  names: z.array(z.object({ name: z.string(), steps: z.number() })),
  shown: z.array(z.string()),
  series: z.array(MetricSeries),
});
export type Curves = z.infer<typeof Curves>;

export const Predictions = z.object({
  versions: z.array(CheckedPrediction),
  proposers: z.array(ProposerRecord),
  problems: z.array(z.string()),
});
export type Predictions = z.infer<typeof Predictions>;

/** What the reward that a version trained with gave its passed and its failed rollouts on the mean, term by term. */
export const RewardMeans = z.object({
  version: z.string(),
  because: z.string().exactOptional().describe("Why its terms are not known."),
  outcomes: z.array(
    z.object({
      outcome: z.enum(["pass", "fail"]),
      rollouts: z.number(),
      reward: z.number().nullable().describe("The mean of the rewards that the trainer recorded."),
      paid: z
        .number()
        .describe(
          "Failed rollouts that got at least the median reward of the passed ones; where none passed, half of the most that the terms can give.",
        ),
      terms: z.array(
        z.object({
          name: z.string(),
          adds: z.number().nullable().describe("Of the rollouts that have its signal; null where none has."),
        }),
      ),
    }),
  ),
});
export type RewardMeans = z.infer<typeof RewardMeans>;
