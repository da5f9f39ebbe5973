import * as z from "zod";
import { Comparison, Doubt, Score } from "../../ledger/measures.ts";
import { PairedComparison } from "./pairedComparison.ts";
import { answered, Ends, Refusal } from "./common.ts";

/** Which evaluations of a version are compared: all, one of them, or a training step. */
export const EvaluationStep = z.union([z.enum(["all", "last", "best"]), z.int().nonnegative()]);

/** The score of one version, and its interval: over items, for the interquartile mean over runs of these items (rliable). */
const VersionScore = z.discriminatedUnion("type", [
  z.object({ type: z.literal("over_items"), value: z.number().nullable(), score: Score.nullable() }),
  z.object({
    type: z.literal("over_runs"),
    value: z.number().nullable(),
    score: answered({ value: z.number(), low: z.number(), high: z.number(), tasks: z.number() }),
  }),
]);

/** How likely a run of one version beats a run of the other. */
const Improvement = answered({
  /** Chance that a run of X beats a run of Y on a task drawn at random; ties count half. */
  value: z.number(),
  tasks: z.number(),
  /** How the interval over tasks was made, and what to doubt of it. */
  method: z.string(),
  doubts: z.array(Doubt),
  /** The interval of rliable: these tasks, other runs; null with one run of each task. */
  overRuns: z.object({ low: z.number(), high: z.number() }).nullable(),
  low: z.number(),
  high: z.number(),
  outer: Ends.nullable(),
});

/** How much repeated runs of a version differ. */
const NoiseFloor = answered({
  runs: z.number(),
  mean: z.number(),
  /** Standard deviation between runs, and its upper confidence limit: few runs leave it very uncertain. */
  sd: z.number(),
  sdHigh: z.number(),
  /** The smallest difference between one run of each of two versions that this noise does not explain. */
  difference: z.number(),
  confidence: z.number(),
});

/** The difference of two versions beside how much repeated runs of one of them differ. */
const NoiseReport = z.object({
  /** The version with more repeats, of two with as many the noisier one; and what tells its repeats apart. */
  version: z.string(),
  repeats: z.enum(["seeds", "runs", "runs_of_one_seed"]),
  floor: NoiseFloor,
  /** What the means of the repeats of both have to differ by; that of single runs is `floor.difference`. */
  needed: z.number().nullable(),
  exceeded: z.boolean().nullable(),
});

/** One of the versions that were to be picked from, against the version that all are compared with. */
const CandidateReport = z.object({
  version: z.string(),
  difference: z.number(),
  /** Over items, for all of them together; null where too few items differ for it. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  p: z.number().nullable(),
  /** How often it would be the best had other items been drawn. */
  wins: z.number(),
});

const PickReport = z.object({
  /** What m is: as asked for, or as many as the lineage has. */
  from: z.enum(["asked", "lineage"]),
  candidates: z.number(),
  /** Evaluations that were to be picked from, over both versions; 1 when none was picked. */
  steps: z.number(),
  versions: z.array(z.string()),
  because: z.string(),
  /** The comparison at the confidence that allows for the pick (Bonferroni); null when nothing was picked. */
  corrected: Comparison.pick({
    low: true,
    high: true,
    method: true,
    confidence: true,
    verdict: true,
  }).nullable(),
  /** The best of the known ones. */
  best: z.string().nullable(),
  /** What the pick added to the difference: by the bootstrap of the pick, and at most. Null where it is not known. */
  bias: z.number().nullable(),
  biasAtMost: z.number().nullable(),
  among: z.array(CandidateReport),
  /** Why the candidates cannot be set side by side. */
  refused: Refusal.nullable(),
});

const GuardrailReport = z.object({
  metric: z.string(),
  unit: z.enum(["value", "share"]),
  /** `tolerance`: how much worse than a it may be. `limit`: what it may be at most, by the intervention. */
  kind: z.enum(["limit", "tolerance"]),
  allowed: z.number(),
  better: z.enum(["higher", "lower"]),
  a: z.number().nullable(),
  b: z.number().nullable(),
  difference: z.number().nullable(),
  /** Of the difference for a tolerance, of b for a limit; null where there is no interval that can be believed. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  method: z.string().nullable(),
  items: z.number(),
  verdict: z.enum(["holds", "violated", "cannot_tell"]),
  /** Whether what is unknown, counted either way, could change the verdict. */
  unknownMatter: z.boolean(),
  /** Why it cannot be told. */
  because: z.string().nullable(),
});

const VarianceParts = answered({
  /** Variance of the true differences between items: only more items help. */
  between: z.number(),
  /** What the sampling of one item adds to the variance of its difference, with the samples it has. */
  sampling: z.number(),
});

const ProfilePoint = z.object({
  threshold: z.number(),
  /** Share of runs above the threshold, each task with the same weight. */
  share: z.number(),
  /** Pointwise band over other runs of these tasks; null with one run of each task, which shows no spread of runs. */
  low: z.number().nullable(),
  high: z.number().nullable(),
});

const Profile = answered({
  points: z.array(ProfilePoint),
});

/** The paired comparison, and all that is said besides. */
export const VersionComparison = PairedComparison.extend({
  scores: z.object({ a: VersionScore, b: VersionScore }),
  improvement: Improvement,
  noise: NoiseReport,
  pick: PickReport,
  evaluations: z.object({
    used: EvaluationStep,
    a: z.object({ steps: z.array(z.number()), step: z.number().nullable() }),
    b: z.object({ steps: z.array(z.number()), step: z.number().nullable() }),
    best: answered({
      step: z.number(),
      value: z.number(),
      bias: z.number(),
      biasAtMost: z.number(),
      corrected: z.number(),
    }).nullable(),
  }),
  guardrails: z.array(GuardrailReport),
  variance: VarianceParts,
  profile: z.object({ a: Profile, b: Profile }).nullable(),
  version: z.string(),
});
