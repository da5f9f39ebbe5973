import * as z from "zod";
import { decisions } from "../../words/decisions.ts";
import { ArchivedVerdict } from "./common.ts";
import { OpenSplit } from "./openSplit.ts";

/** How many rollouts of a version a revision labels, and for how many its condition has no value. */
const Labelled = z.object({ labelled: z.number(), undecided: z.number() });

/** Rollouts that a revision treats in another way than the one before, the first of them by name. */
const Changed = z.object({ count: z.number(), examples: z.array(z.string()) });

const Threshold = z.object({
  at: z.number(),
  /** Good versions on the wrong side, and bad ones. */
  wrongGood: z.number(),
  wrongBad: z.number(),
});

/** A metric's value in one version; null where the version's evidence does not have it. */
const MetricValue = z.object({ version: z.string(), value: z.number().nullable() });

/** Whether a metric separates the versions that were kept from those that were rejected. */
const Separation = z.object({
  /** Which side has the higher values; null where neither has. */
  higher: z.enum(["good", "bad"]).nullable(),
  /** Probability that a good version lies on the right side of a bad one, ties counted half; from 0.5 to 1. */
  auc: z.number().nullable(),
  threshold: Threshold.nullable(),
  /** Versions that the best threshold of all the others puts on their side, and how many the larger class has. */
  leaveOneOut: z.object({ right: z.number(), of: z.number(), larger: z.number() }).nullable(),
  /** Permutation test over the decisions, two-sided; alone and after Holm's correction for all metrics. */
  p: z.number().nullable(),
  exact: z.boolean(),
  adjusted: z.number().nullable(),
  /** The smallest p that any decisions on so many good and bad versions could have given. */
  attainable: z.number().nullable(),
  verdict: z.enum(["cannot_tell", "separates", "does_not_separate"]),
  because: z.string(),
  metric: z.string(),
  good: z.array(MetricValue),
  bad: z.array(MetricValue),
});

/** A version that the ledger quarantined for a label, and that the diagnostics at hand would not quarantine. */
const LetThrough = z.object({
  version: z.string(),
  diagnostic: z.string(),
  /** What a waiver has to name: the revision at hand; null when the diagnostic is gone. */
  revision: z.string().nullable(),
  reason: z.enum(["not_archived", "does_not_fire", "no_longer_invalidates", "other_domain", "removed"]),
  /** One sentence. */
  message: z.string(),
  /** Who accepted it and why; null while nobody did. */
  waived: z.object({ by: z.string(), reason: z.string() }).nullable(),
});

const ExampleCheck = z.object({
  rollout: z.string(),
  expect: z.enum(["labelled", "clear"]),
  found: ArchivedVerdict,
  /** Null where the rollout is not in the archive, or its condition has no value. */
  right: z.boolean().nullable(),
});

export const DiagnosticBacktest = z.object({
  beforeFrom: z.enum(["committed", "work_tree", "stored", "nothing"]),
  versions: z.array(
    z.object({
      decision: z.enum(decisions).nullable(),
      version: z.string(),
      split: OpenSplit,
      rollouts: z.number(),
      /** Null where there is nothing before: the diagnostic is new. */
      before: Labelled.nullable(),
      after: Labelled,
      newly: Changed,
      noLonger: Changed,
    }),
  ),
  question: z.enum(["kept_against_rejected", "sound_against_invalid"]),
  admission: Separation.nullable(),
  others: z.array(Separation),
  letThrough: z.array(LetThrough),
  /** What training would have seen without the labelled rollouts: their groups, gradients and signs of advantages, in sentences. */
  advantages: z.array(z.string()),
  notes: z.array(z.string()),
  diagnostic: z.string(),
  revision: z.string(),
  /** The revision that it is compared with; null for a new diagnostic. */
  before: z.string().nullable(),
  examples: z.array(ExampleCheck),
});
export const RemovalBacktest = z.object({ diagnostic: z.string(), letThrough: z.array(LetThrough) });
