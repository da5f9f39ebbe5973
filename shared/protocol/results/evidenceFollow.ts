import * as z from "zod";
import { Split } from "../../model/rollout.ts";

const Place = z.object({ path: z.string(), reason: z.string() });

/** The rollouts of one training step. */
const FollowedStep = z.object({
  step: z.number(),
  rollouts: z.number(),
  pass: z.number(),
  fail: z.number(),
  /** The mean of the rewards that are known; null without any. */
  reward: z.number().nullable(),
  /** How many of them carry each label; labels that none carries are left out. */
  labels: z.record(z.string(), z.number()),
});

/** One of the newest values of a training metric. */
const FollowedMetric = z.object({ name: z.string(), step: z.number(), value: z.number() });

/** How often a label holds, over all steps. */
const FollowedLabel = z.object({
  name: z.string(),
  severity: z.string(),
  /** What is counted: rollouts, or groups of them. */
  over: z.enum(["rollout", "group"]),
  labelled: z.number(),
  of: z.number(),
});

const Alarm = z.object({ name: z.string(), severity: z.string(), message: z.string() });

/** The followed run beside an archived one, both at one step. */
const FollowedComparison = z.object({
  with: z.string(),
  step: z.number(),
  ours: FollowedStep,
  theirs: FollowedStep,
  labels: z.array(
    z.object({
      label: z.string(),
      ours: z.number().nullable(),
      theirs: z.number().nullable(),
      /** Our rate − theirs, with its 95 % interval. */
      difference: z.number().nullable(),
      low: z.number().nullable(),
      high: z.number().nullable(),
      says: z.string(),
    }),
  ),
  metrics: z.array(z.object({ name: z.string(), ours: z.number(), theirs: z.number() })),
  /** What is to be known of the comparison, in sentences. */
  notes: z.array(z.string()),
});

export const EvidenceFollow = z.object({
  version: z.string(),
  split: Split.nullable().describe("Of the rollouts that are looked at; null before there are any."),
  added: z.object({ rollouts: z.number(), metrics: z.number() }),
  quarantined: z.number(),
  /** The first records that were set aside now. */
  problems: z.array(z.object({ path: z.string(), line: z.number(), reason: z.string() })),
  /** Files that are read from their beginning again, because they were replaced or cut. */
  replaced: z.array(z.string()),
  /** Files whose last line is not complete. */
  waiting: z.array(z.string()),
  refused: z.array(Place),
  unrecognised: z.array(Place),
  rollouts: z.number(),
  /** The newest steps, at most 50, the oldest of them first. */
  steps: z.array(FollowedStep),
  /** Files that hold rollouts of the newest step, at most 100. */
  newestFiles: z.array(z.string()),
  metrics: z.array(FollowedMetric),
  /** Of diagnostics whose condition is over rollouts. */
  labels: z.array(FollowedLabel),
  /** Why there is no reward, and what is wrong with specs, in sentences. */
  notes: z.array(z.string()),
});
export type EvidenceFollow = z.infer<typeof EvidenceFollow>;

export const FollowTotals = z.object({
  /** Of all other diagnostics: over groups, and by programs that were run. */
  labels: z.array(FollowedLabel),
  alarms: z.array(Alarm),
  comparison: FollowedComparison.nullable(),
  /** Why there is no comparison yet, in sentences. */
  notes: z.array(z.string()),
});
export type FollowTotals = z.infer<typeof FollowTotals>;
