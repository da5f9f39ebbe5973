import * as z from "zod";
import { armNames, domainNames } from "./plan.ts";

const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const Setting = z.object({ file: z.string(), path: z.string(), to: Scalar });
const Rates = z.array(z.number()).readonly();

const Measured = z.object({ audit: Rates, shifted: Rates, withLeak: z.number().nullable() });

/** A version that a search kept as better than its parent, trained again on fresh seeds, as its parent was. */
const Claim = z.object({
  version: z.string(),
  parent: z.string(),
  settings: z.array(Setting),
  /** Of one seed alone, or of several. */
  stage: z.string().nullable(),
  leaks: z.array(z.string()),
  /** Trainings of the search until it was decided. */
  trainings: z.int(),
  /** Means of audit items on the fresh seeds, with every leak closed. */
  own: z.array(z.number()),
  ofParent: z.array(z.number()),
});

const Prediction = z.object({
  version: z.string(),
  measured: z.number().nullable(),
  moved: z.string().nullable(),
});

/** Counts of versions. */
export const SkillUses = z.object({
  name: z.string(),
  used: z.int(),
  cameTrue: z.int(),
  refuted: z.int(),
  insideNoise: z.int(),
});

/** The raw result of one cell: what is committed, and all that the report is made of. */
export const CellResult = z.object({
  schema: z.literal(1),
  plan: z.string(),
  /** Commit of the plan, and of the code that ran. */
  planCommit: z.string(),
  codeCommit: z.string(),
  isQuick: z.boolean(),
  domain: z.enum(domainNames),
  arm: z.enum(armNames),
  seed: z.int(),
  startedAt: z.string(),
  /** Trainings that the arm paid for, whether or not they were copied. */
  trainings: z.int(),
  /** Processor seconds of the engine and of the measuring; the jobs of the engine are not among them. */
  processorSeconds: z.number(),
  chosen: z.object({
    version: z.string(),
    settings: z.array(Setting),
    leaks: z.array(z.string()),
    /** The seed of the policy that is delivered: the best on selection of those that the arm has trained. */
    seed: z.int(),
    selection: z.number(),
  }),
  /** The delivered policy. */
  delivered: Measured,
  /** The chosen harness on fresh seeds; empty where there is none (base policy). */
  fresh: z.array(z.object({ seed: z.int(), audit: Rates, shifted: Rates })),
  /** All versions that were decided, in order. */
  decisions: z.array(
    z.object({
      version: z.string(),
      parent: z.string().nullable(),
      factor: z.string().nullable(),
      title: z.string(),
      decision: z.string(),
      stage: z.string().nullable(),
      score: z.number().nullable(),
      trainings: z.int(),
      leaks: z.array(z.string()),
    }),
  ),
  claims: z.array(Claim),
  predictions: z.array(Prediction),
  /** Diagnostics that were drafted from gaps and admitted or not. */
  diagnostics: z.array(z.object({ name: z.string(), when: z.string(), decision: z.string() })).readonly(),
  /** Of a search that was given skills: how often each was used, and what came of it. Other results have none. */
  skills: z.array(SkillUses).readonly().optional(),
});
export type CellResult = z.infer<typeof CellResult>;
