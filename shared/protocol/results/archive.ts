import * as z from "zod";

/** What the archive has of one version, over all splits: numbers of rows, nothing of what is in them. */
const VersionRows = z.object({
  version: z.string(),
  files: z.number(),
  rollouts: z.number(),
  turns: z.number(),
  /** Turns whose text was dropped. */
  trimmedTurns: z.number(),
  metrics: z.number(),
  quarantined: z.number(),
});

export const ArchiveStatus = z.object({
  path: z.string(),
  /** The database file with its log. */
  archiveBytes: z.number(),
  /** Bytes of it that hold nothing any more: what `compactStore` gives back at least. */
  reclaimableBytes: z.number(),
  /** The registered evidence files that are there. */
  evidenceBytes: z.number(),
  evidenceFiles: z.number(),
  /** Registered files that are gone: a rebuild would lose their rows. */
  missingFiles: z.array(z.string()),
  versions: z.array(VersionRows),
});

export const ForgetResult = z.object({
  /** The evidence files concerned; of one that is not `whole` only the named run is forgotten. */
  sources: z.array(z.object({ path: z.string(), whole: z.boolean() })),
  /** Rows dropped. */
  rollouts: z.number(),
  turns: z.number(),
  metrics: z.number(),
  scores: z.number(),
  quarantined: z.number(),
  deletedFiles: z.array(z.string()),
  /** Files that were to be deleted and were not, with the reason. */
  keptFiles: z.array(z.object({ path: z.string(), reason: z.string() })),
});

export const TrimResult = z.object({
  /** Rollouts whose text this call dropped. */
  rollouts: z.number(),
  turns: z.number(),
});

export const QuarantinedLine = z.object({
  path: z.string(),
  line: z.number(),
  offset: z.number(),
  reason: z.string(),
  /** The start of the line, at most 4 kB. Untrusted text. */
  raw: z.string(),
});
