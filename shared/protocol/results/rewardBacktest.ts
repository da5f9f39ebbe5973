import * as z from "zod";
import { OpenSplit } from "./openSplit.ts";

/** What a replay had to leave out, and why. */
const LeftOut = z.object({
  /** Rollouts without a finite reward under the old or the new spec; they take no part in either. */
  rollouts: z.number(),
  /** Groups that lost some of their rollouts so, and are judged by the others. */
  incompleteGroups: z.number(),
  /** Groups with fewer than two rollouts left: there is nothing to compare with. */
  singles: z.number(),
  /** Signals that rollouts lack, or have as NaN or an infinity. `reward` is the archived one. */
  lacking: z.array(z.object({ signal: z.string(), missing: z.number(), notFinite: z.number() })),
});

/** Groups whose rewards are all the same, so that they give no gradient, under the old and the new reward. */
const DeadGroups = z.object({
  before: z.number(),
  after: z.number(),
  /** Dead before, with a spread now. */
  revived: z.number(),
  /** With a spread before, dead now. */
  died: z.number(),
});

/** Worse outcomes that end with a higher reward, within groups; unknown outcomes take no part. */
const OrderViolations = z.object({
  /** Failed rollouts above at least one passed rollout of their group. */
  rollouts: z.number(),
  /** Pairs of a failed and a passed rollout of one group in which the failed one is above. */
  pairs: z.number(),
  /** Groups with such a pair. */
  groups: z.number(),
  /** All pairs of a failed and a passed rollout of one group; 0 where there is no order to violate. */
  comparable: z.number(),
});

/** How a term of the reward is spread over the rollouts. */
const TermUse = z.object({
  name: z.string(),
  /** The most that any rollout gets from it; 0 for a penalty that some escape. */
  maximum: z.number(),
  /** Saturation: the share of the rollouts that get this maximum. */
  saturation: z.number(),
  /** Groups in which not all rollouts get the same: nowhere else does the term do anything. */
  variesIn: z.number(),
});

/** What the change of the reward does to the advantages that GRPO trains on. */
const AdvantageShift = z.object({
  /** Groups in which every advantage stays as it is, as under every positive affine change of their rewards. */
  unchangedGroups: z.number(),
  /** Mean of |new − old advantage| over the rollouts; null without rollouts. */
  mean: z.number().nullable(),
});

/** The rewards of all rollouts. */
const RewardDistribution = z.object({
  mean: z.number(),
  std: z.number(),
  min: z.number(),
  quartiles: z.tuple([z.number(), z.number(), z.number()]),
  max: z.number(),
  /** Different values. */
  distinct: z.number(),
  /** The most frequent value, the lowest of several, and the share of the rollouts that have it. */
  topReward: z.number(),
  topShare: z.number(),
  /** Rollouts in bins of one width from min to max; one bin where all rewards are the same. */
  bins: z.array(z.number()),
});

/** Groups whose rewards differ although every outcome is the same: there the policy learns the shaping, and nothing else. */
const PhantomSignal = z.object({
  before: z.number(),
  after: z.number(),
  /** Groups with a spread under the new reward, and those of them in which an unknown outcome leaves it open. */
  living: z.number(),
  undecided: z.number(),
  /** The part of each term in the variance of the new reward in its phantom groups, the largest first. */
  terms: z.array(z.object({ name: z.string(), part: z.number() })),
});

/** What another reward would have made of archived groups. */
const RewardReplay = z.object({
  /** What the archive has. */
  archived: z.object({ groups: z.number(), rollouts: z.number() }),
  /** What takes part, and what does not. */
  groups: z.number(),
  rollouts: z.number(),
  leftOut: LeftOut,
  outcomes: z.object({ unknown: z.number(), pass: z.number(), fail: z.number() }),
  dead: DeadGroups,
  violations: z.object({ before: OrderViolations, after: OrderViolations }),
  phantom: PhantomSignal,
  terms: z.array(TermUse),
  advantages: AdvantageShift,
  /** No advantage changes: group normalisation cancels the change. Null where there is no group to tell it from. */
  noOp: z.boolean().nullable(),
  /** Kendall's tau-b between the old and the new reward over the pairs of rollouts of one group; null where one of the two rewards has ties only. */
  rankCorrelation: z.number().nullable(),
  distribution: z.object({ before: RewardDistribution.nullable(), after: RewardDistribution.nullable() }),
  /** The standard deviations of the groups' rewards, as a distribution. */
  spread: z.object({ before: RewardDistribution.nullable(), after: RewardDistribution.nullable() }),
  /** How many of the rewards that training recorded the old spec gives again. */
  reproduced: z.object({ same: z.number(), compared: z.number() }),
});

/** What the filter did in one training step. */
const FilterStep = z.object({
  run: z.string(),
  step: z.number(),
  groups: z.number(),
  kept: z.number(),
  /** Without any spread. */
  dead: z.number(),
  /** Dropped for a low spread. */
  low: z.number(),
  /** Dropped because all outcomes are the same. */
  same: z.number(),
  /** Of those kept: for the sake of the least share. */
  rescued: z.number(),
  /** Below which the first group of the step would have been dropped; null in the warm-up and where there is none. */
  threshold: z.number().nullable(),
});

/** A filter over the archived groups of a version in step order, each run with a filter of its own. */
const FilterReplay = z.object({
  groups: z.number(),
  kept: z.number(),
  dead: z.number(),
  low: z.number(),
  same: z.number(),
  rescued: z.number(),
  /** kept / groups; null without groups. */
  keepRatio: z.number().nullable(),
  /** Groups that were dropped although a rollout passed: for a low spread, and for none (all of them passed, or all got the same). */
  lowWithPass: z.number(),
  deadWithPass: z.number(),
  /** Groups of a run before the filter drops any for its spread. */
  warmup: z.number(),
  /** Runs with fewer groups than that: the filter never started. */
  runsInWarmup: z.number(),
  runs: z.number(),
  /** Runs of which not every step is archived: the moving average saw more in training than it sees here. */
  runsWithGaps: z.number(),
  steps: z.array(FilterStep),
});

/** What a limit on the length of rollouts would have cut. */
const TruncationLimit = z.object({
  limit: z.number(),
  /** Rollouts, and passed ones among them, that are longer. */
  cut: z.number(),
  cutPasses: z.number(),
  /** cutPasses / passes with its 95 % interval (Wilson); null without a passed rollout of known length. */
  misTruncated: z.object({ share: z.number(), low: z.number(), high: z.number() }).nullable(),
  /** What is beyond the limit over all rollouts, and its share of everything; null where nothing was spent. */
  saved: z.number(),
  savedShare: z.number().nullable(),
});

const TruncationReplay = z.object({
  /** Rollouts of known length, and of unknown length, which take no part. */
  rollouts: z.number(),
  withoutLength: z.number(),
  passes: z.number(),
  /** Turns or tokens of all rollouts. */
  spent: z.number(),
  limits: z.array(TruncationLimit),
});

/** One version under another reward and filter. */
const RewardBacktest = z.object({
  version: z.string(),
  split: OpenSplit,
  /** What it was compared with. */
  base: z.union([
    z.object({ type: z.literal("spec"), commit: z.string(), file: z.string(), name: z.string() }),
    z.object({ type: z.literal("archived"), because: z.string() }),
  ]),
  reward: RewardReplay,
  /** `before` is null where the filter of the version is not known. */
  filter: z.object({
    before: FilterReplay.nullable(),
    after: FilterReplay,
    /** Every kind of filter on the new reward; the kind of the spec with its settings, the others with the defaults. */
    kinds: z.array(
      z.object({ kind: z.enum(["none", "std", "outcome"]), kept: z.number(), phantoms: z.number() }),
    ),
  }),
  truncation: z.object({ turns: TruncationReplay.exactOptional(), tokens: TruncationReplay.exactOptional() }),
  /** What was found, one sentence each, the most important first. */
  summary: z.array(z.string()),
  /** Whether it speaks against the spec: a no-op, nothing to replay, or a filter that starves the training. */
  concern: z.boolean(),
  milliseconds: z.object({ reading: z.number(), replay: z.number() }),
});

export const RewardBacktests = z.object({ spec: z.string(), results: z.array(RewardBacktest) });
