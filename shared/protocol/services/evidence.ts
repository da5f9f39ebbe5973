import * as z from "zod";
import { JobId } from "../../model/jobId.ts";
import { Split } from "../../model/rollout.ts";
import { withFiles } from "../results/diagnosticFile.ts";
import { EvidenceFollow, FollowTotals } from "../results/evidenceFollow.ts";
import { EvidenceImport } from "../results/evidenceImport.ts";
import { service } from "./service.ts";

export const evidence = {
  "evidence.collect": service({
    says: "Brings what a finished run wrote into the archive; doing it twice changes nothing.",
    editor: false,
    params: () => z.object({ run: JobId, version: z.string() }),
    result: () =>
      z.object({
        rows: z.number(),
        quarantined: z.number(),
        changed: z
          .array(z.string())
          .describe("What became of the files of the run after its job had ended, one sentence for each."),
      }),
  }),
  "evidence.follow": service({
    says: "Brings what a run of somebody else wrote so far into the archive, labels what is new of it, and says how the run stands. Doing it again changes nothing.",
    editor: false,
    params: () =>
      z.object({
        paths: z.array(z.string().min(1)).describe("Absolute paths of the files that are new or changed."),
        name: z.string().min(1).describe("The name for a new version, where the files have none yet."),
        version: z
          .string()
          .min(1)
          .exactOptional()
          .describe("The version; without it that of the files, or else a new one."),
        as: z.string().exactOptional().describe("The format, whatever the files look like."),
        passWhen: z
          .string()
          .exactOptional()
          .describe("CEL that decides rollouts whose source has no verdict."),
        split: z.enum(["train", "selection"]).exactOptional().describe("Which rollouts are looked at."),
        compare: z
          .string()
          .min(1)
          .exactOptional()
          .describe("The archived version that it will be compared with; it must be another one."),
        ...withFiles(),
      }),
    result: () => EvidenceFollow,
  }),
  "evidence.followTotals": service({
    says: "Says what is computed over all rollouts of a followed run: alarms, labels over groups, and how it compares with an archived version. With many rollouts this takes longer than labelling new ones.",
    editor: false,
    params: () =>
      z.object({
        version: z.string().min(1),
        split: z.enum(["train", "selection"]).nullable().describe("Null before there are rollouts."),
        compare: z
          .string()
          .min(1)
          .exactOptional()
          .describe("An archived version to compare with, at one step."),
        ...withFiles(),
      }),
    result: () => FollowTotals,
  }),
  "evidence.import": service({
    says: "Brings files of any known format into the archive. Doing it again changes nothing.",
    editor: false,
    params: () =>
      z.object({
        paths: z.array(z.string().min(1)).min(1).describe("Absolute paths of files and folders."),
        as: z.string().exactOptional().describe("The format, whatever the files look like."),
        version: z.string().min(1).exactOptional(),
        run: z.string().min(1).exactOptional(),
        split: Split.exactOptional(),
        domain: z.string().min(1).exactOptional().describe("The domain that a lineage goes into."),
        passWhen: z
          .string()
          .exactOptional()
          .describe("CEL that decides rollouts whose source has no verdict."),
      }),
    result: () => EvidenceImport,
  }),
};
