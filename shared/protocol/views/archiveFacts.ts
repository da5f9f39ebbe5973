import * as z from "zod";
import { LabelByPeople } from "../results/people.ts";

/** Numbers of one kind: how many there are, and where they lie. */
const Spread = z.object({
  count: z.number(),
  min: z.number(),
  median: z.number(),
  max: z.number(),
});

/** How often a variable of the predicate language has a value in the archive, and which. */
const FieldFact = z.object({
  /** Share of the rollouts that have one, 0 to 1. */
  present: z.number(),
  spread: Spread.optional(),
  /** The most frequent values of a text, at most ten, the most frequent first. */
  values: z.array(z.object({ value: z.string(), share: z.number() })).optional(),
});

const ComponentFact = z.object({
  /** Rollouts that were looked at: the newest ones. */
  of: z.number(),
  /** Share of them that have it. */
  present: z.number(),
  /** Share of the rollouts for which it is above zero. */
  awarded: z.number(),
  /** Share of the rollouts that get the most that any of them gets. */
  inFull: z.number(),
  spread: Spread,
});

const LabelFact = z.object({
  rollouts: z.number(),
  /** Rollouts that were tried. */
  of: z.number(),
  /** The newest version in which it was set, and at most three of its rollouts. */
  last: z.object({ version: z.string(), rollouts: z.array(z.string()) }).optional(),
});

const VersionFact = z.object({
  name: z.string(),
  rollouts: z.number(),
  /** Items of the selection split, and the share of passes among its known outcomes. */
  items: z.number(),
  passRate: z.number().nullable(),
});

/**
 * What the spec language knows of the evidence of a project, without the audit split: read by the engine, kept by the
 * language server, and shown with its age.
 */
export const ArchiveFacts = z.object({
  /** Milliseconds since 1970 at which it was read. */
  at: z.number(),
  rollouts: z.number(),
  versions: z.array(VersionFact),
  /** By variable of the predicate language. */
  fields: z.record(z.string(), FieldFact),
  /** By name, those of the trainers' metrics files. */
  metrics: z.record(z.string(), Spread),
  components: z.record(z.string(), ComponentFact),
  labels: z.record(z.string(), LabelFact),
  /** The labels that rollouts were looked through for, whether one carries them or not; absent where that is not known. */
  tried: z.array(z.string()).optional(),
  /** Values of `item` that are both in the train and in the selection split, at most a hundred. */
  sharedItems: z.array(z.string()),
  /** What people's answers say of the labels that they answered about; absent where nobody answered. */
  people: z.array(LabelByPeople).optional(),
});
export type ArchiveFacts = z.infer<typeof ArchiveFacts>;
