import * as z from "zod";

/** A part of the source that could not be used. The rest is not affected. */
const ForeignProblem = z.object({
  reason: z.string(),
  file: z.string(),
  /** First line, from 1; null where the format has no lines. */
  line: z.number().nullable(),
});

/** What an import did. Counts are of versions. */
const LineageImportReport = z.object({
  format: z.string(),
  lineage: z.string(),
  domain: z.string(),
  versionsAdded: z.number(),
  unchanged: z.number(),
  /** Versions that were there, whose measurement or decision in the source is another now. */
  updated: z.number(),
  /** Versions of each decision, of what was read now. */
  decisions: z.record(z.string(), z.number()),
  /** Versions of each status word in the source. */
  statuses: z.record(z.string(), z.number()),
  /** Words that are no decision that we know; null where the source has no word. */
  undecided: z.array(z.object({ status: z.string().nullable(), versions: z.number(), first: z.string() })),
  problems: z.array(ForeignProblem),
  missing: z.array(z.object({ field: z.string(), reason: z.string() })),
  /** Parents that are named but are in no file. */
  gaps: z.array(z.string()),
  /** Versions that are a real commit of the git history they came with. */
  realCommits: z.number(),
  notes: z.array(z.string()),
});

const ImportProblem = z.object({
  path: z.string(),
  /** Line, or record of a file that is read as a whole, from 1. */
  line: z.number(),
  reason: z.string(),
});

const ImportedRun = z.object({
  run: z.string(),
  version: z.string(),
  format: z.string(),
  rollouts: z.number(),
  metricSteps: z.number(),
});

/** A field of the contract, and in how many of the rollouts it has a value. */
const FieldCoverage = z.object({ field: z.string(), rollouts: z.number() });

/** What one format provided of the contract over the rollouts of some runs. */
const FormatCoverage = z.object({
  format: z.string(),
  title: z.string(),
  files: z.number(),
  runs: z.number(),
  rollouts: z.number(),
  /** Every field in the order of the contract, `turns.…` for those of its turns. */
  fields: z.array(FieldCoverage),
  /** Fields that no rollout has: why the format cannot provide them, or null when it could have. A step that the format does not know is among them, although every rollout then bears 0. */
  missing: z.array(z.object({ field: z.string(), reason: z.string().nullable() })),
  /** Fields that some rollouts lack. */
  partial: z.array(z.object({ field: z.string(), rollouts: z.number() })),
  /** Fields that were derived, with how. */
  inferred: z.array(z.object({ field: z.string(), how: z.string() })),
  /** Unknown outcomes by reason, most frequent first, at most 20. The audit split is sealed: its reasons are not told. */
  unknown: z.array(z.object({ reason: z.string(), rollouts: z.number() })),
});

/** A diagnostic that is not used on the evidence of a format. */
const Disabled = z.object({
  diagnostic: z.string(),
  /** Fields that no rollout has; or else the domains that the diagnostic is made for. */
  needs: z.array(z.string()),
  format: z.string(),
});

export const EvidenceImport = z.object({
  files: z.object({
    refused: z.number(),
    /** Brought something in. */
    read: z.number(),
    /** Were in the archive already. */
    unchanged: z.number(),
    unrecognised: z.number(),
  }),
  refused: z.array(z.object({ path: z.string(), reason: z.string() })),
  lineages: z.array(LineageImportReport),
  /** Added by this import. */
  rollouts: z.number(),
  metrics: z.number(),
  /** Scores of versions without their rollouts. */
  scores: z.number(),
  quarantined: z.number(),
  /** NaN and Infinity that became null. */
  nonFinite: z.number(),
  /** The first records that were set aside, with file, line and reason. */
  problems: z.array(ImportProblem),
  waiting: z.array(z.object({ path: z.string(), bytes: z.number() })),
  unrecognised: z.array(z.object({ path: z.string(), reason: z.string() })),
  /** What else is to be known of how the files were read, in sentences. */
  notes: z.array(z.string()),
  /** What the archive has of the runs that the files belong to, at most 1000. */
  runs: z.array(ImportedRun),
  coverage: z.array(FormatCoverage),
  /** Diagnostics that this evidence cannot feed, or that are made for other domains. */
  disabled: z.array(Disabled),
});
