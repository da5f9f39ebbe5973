import * as z from "zod";
import { ArchiveFacts } from "../views/archiveFacts.ts";
import { ArchiveStatus, ForgetResult, QuarantinedLine, TrimResult } from "../results/archive.ts";
import { service } from "./service.ts";

export const archive = {
  "archive.status": service({
    says: "How large the archive is, what is in it, and what compaction would give back.",
    editor: false,
    params: () => z.object({}),
    result: () => ArchiveStatus,
  }),
  "archive.facts": service({
    says: "What the spec language knows about the evidence: which fields, metrics, components and labels there are, without the audit split.",
    editor: false,
    params: () => z.object({}),
    result: () => ArchiveFacts,
  }),
  "archive.forget": service({
    says: "Removes everything of a version or of a run from the archive. What has been removed stays removed.",
    editor: false,
    params: () =>
      z.object({
        target: z.union([
          z.strictObject({ version: z.string().min(1) }),
          z.strictObject({ run: z.string().min(1) }),
        ]),
        deleteFiles: z.boolean().default(false).describe("Also delete its files in the engine's folder."),
      }),
    result: () => ForgetResult,
  }),
  "archive.trim": service({
    says: "Removes the text of training rollouts and keeps what was computed from it.",
    editor: false,
    params: () =>
      z.object({
        versions: z.array(z.string().min(1)).min(1),
        startedBefore: z.iso.datetime().exactOptional(),
      }),
    result: () => TrimResult,
  }),
  "quarantine.list": service({
    says: "The lines of evidence that were set aside, in file order.",
    editor: false,
    params: () =>
      z.object({
        version: z.string().exactOptional(),
        limit: z.int().min(1).max(10_000).exactOptional(),
      }),
    result: () => z.array(QuarantinedLine),
  }),
};
