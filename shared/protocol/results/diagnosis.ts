import * as z from "zod";
import { ScoreOnSet } from "./scoreComparison.ts";
import { Diagnosed } from "./diagnosed.ts";
import { Alert, Estimate, Severity } from "./common.ts";
import { OpenSplit } from "./openSplit.ts";

/** How far a judge's labels are those of people, over the rollouts that both decided. */
const Agreement = z.object({
  rollouts: z.number(),
  bothLabelled: z.number(),
  onlyJudge: z.number(),
  onlyHuman: z.number(),
  neither: z.number(),
  /** Share on which they agree, with its 95 % interval; null without a rollout. */
  share: Estimate.nullable(),
  /** Cohen's kappa: 1 is agreement, 0 what chance would give; null where one side gives a single answer to all. */
  kappa: Estimate.nullable(),
  /** Whether the rollouts are too few for kappa to say anything. */
  tooFew: z.boolean(),
});

/** What a judge says of rollouts beside another one of their item, against what it says of the same ones alone. */
const Contrast = z.object({
  /** What the other rollout is: one with the other outcome, or one of the version's parent. */
  beside: z.enum(["outcome", "parent"]),
  /** Rollouts of the sample that have a partner and an answer both ways. */
  asked: z.number(),
  labelled: z.number(),
  labelledAlone: z.number(),
  /** Labelled in one way and clear in the other. */
  onlyBeside: z.number(),
  onlyAlone: z.number(),
  /** Rollouts of the sample without a partner: no other outcome of their item is in the version, or its parent has not tried it. */
  withoutPartner: z.number(),
  /** On the same rollouts, those that people labelled; null without one. */
  agreement: z.object({ beside: Agreement, alone: Agreement }).nullable(),
});

/** What a judge says of a version: an estimate from a sample, never a label of its rollouts. */
const JudgedLabel = z.object({
  name: z.string(),
  revision: z.string(),
  severity: Severity,
  model: z.string(),
  seed: z.number(),
  /** How many answers came from an earlier time. */
  cached: z.number(),
  /** Labelled rollouts of the sample, with the turns that show it and what the model said. */
  shown: z.array(z.object({ rollout: z.string(), turns: z.array(z.number()), reason: z.string() })),
  /** Null while no person labelled a rollout of the archive. */
  agreement: Agreement.nullable(),
  /** The same sample beside other rollouts of the same items; null where the judge does not ask for it. */
  contrast: Contrast.nullable(),
  /** Rollouts of which it said that it cannot tell. */
  undecided: z.number(),
  /** Share of those decided, with its 95 % interval for all rollouts; null when none was. */
  rate: Estimate.nullable(),
  /** Whether the whole interval lies above a threshold of the alert. */
  alert: Alert.nullable(),
  /** Rollouts that the sample was drawn from. */
  of: z.number(),
  asked: z.number(),
  labelled: z.number(),
  clear: z.number(),
  /** Rollouts of which the model said nothing that can be used. */
  unanswered: z.number(),
});

/** A diagnostic that was not run, or not to its end. */
const NotRun = z.object({
  name: z.string(),
  /** One sentence. */
  message: z.string(),
});

/** How many rollouts ended for a reason; null where the source does not say why. */
const StopReasonCount = z.object({ reason: z.string().nullable(), rollouts: z.number() });

/** A metric under the name by which the field speaks of it. */
const KeyMetric = z.object({
  role: z.string(),
  name: z.string(),
  /** Steps, over all runs, at which it has a value. */
  steps: z.number(),
  first: z.number().nullable(),
  last: z.number().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
});

/** One metric of a version over its training steps; the values are null where no step has one. */
const MetricSummary = z.object({
  name: z.string(),
  /** Steps, over all runs, at which it has a value. */
  steps: z.number(),
  first: z.number().nullable(),
  last: z.number().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
});

/** When an alarm fired first, for somebody who had watched the run, and what the score did from there on. */
const Firing = z.object({
  step: z.number(),
  /** Null where the run logs neither a score nor a reward. */
  score: z
    .object({
      metric: z.string(),
      then: z.number().describe("The mean of the last five steps until it fired."),
      end: z
        .number()
        .nullable()
        .describe("The mean of the run's last steps; null with fewer than five later steps."),
    })
    .nullable(),
});

/** A named finding about a version; interventions name it in `targets`. */
const Finding = z.object({
  name: z.string(),
  severity: Severity,
  message: z.string(),
  /** Another finding that says the same, or more: lists name this one with it. */
  under: z.string().optional(),
  firing: Firing.optional().describe("Of an alarm on training curves: when it fired first."),
});

/** What is known of a version. */
export const Diagnosis = Diagnosed.extend({
  split: OpenSplit,
  problems: z.array(z.string()),
  /** Scores of the version that were imported without rollouts. */
  reported: z.array(ScoreOnSet),
  version: z.string(),
  /** The version whose evidence it was compared with; null when there is none. */
  parent: z.string().nullable(),
  /** What judges estimate from a sample. */
  judged: z.array(JudgedLabel),
  /** Programs that were not run over all rollouts, and judges that were not asked. */
  notRun: z.array(NotRun),
  stopReasons: z.array(StopReasonCount),
  /** Metrics of training under the names of the field, with those that were computed from rollouts, and all that were logged. */
  training: z.object({
    key: z.array(KeyMetric),
    all: z.array(MetricSummary),
    /** Metrics that no name is known for here, and the diagnostics that would have read them. */
    lacking: z.array(z.object({ metric: z.string(), diagnostics: z.array(z.string()) })),
    short: z
      .object({
        steps: z.int().describe("Of the longest curve that they read."),
        diagnostics: z.array(
          z.object({ name: z.string(), steps: z.number().describe("How many it needs.") }),
        ),
      })
      .nullable()
      .describe(
        "Diagnostics that have too few training steps for a verdict; null where every one has enough.",
      ),
  }),
  findings: z.array(Finding),
});
