import * as z from "zod";
import { Name } from "../spec/common.ts";
import { shownDecisions } from "../words/decisions.ts";

/** on_trial: it labels, but cannot make a version invalid. */
const admissionVerdicts = ["admitted", "on_trial", "refused"] as const;

const Share = z.number().min(0).max(1);

/** What the archive says of one diagnostic that a harness version adds, revises or takes away. */
export const AdmittedDiagnostic = z.object({
  name: Name,
  change: z.enum(["added", "revised", "removed"]),
  verdict: z.enum(admissionVerdicts),
  because: z.string().min(1),
  revision: z.string().nullable().describe("Of its condition; null where it is removed or has none."),
  invalidates: z.boolean().describe("Whether it says that its labels make a version invalid."),
  question: z.enum(["kept_against_rejected", "sound_against_invalid"]),
  versions: z.int().nonnegative().describe("Decided versions that it has a value for."),
  auc: Share.nullable(),
  p: Share.nullable(),
  labelled: z.int().nonnegative(),
  rollouts: z.int().nonnegative().describe("Selection rollouts of all versions."),
  explains: z
    .object({ failures: z.int().nonnegative(), of: z.int().nonnegative() })
    .describe("Failures that carry no other label: how many of them it labels."),
  overlaps: z
    .array(z.object({ label: Name, jaccard: Share }))
    .describe("The labels that it has most rollouts in common with, the largest overlap first."),
  secondsPer10000: z.number().nonnegative().nullable().describe("What labelling 10,000 rollouts takes."),
  agreement: z
    .object({ right: z.int().nonnegative(), wrong: z.int().nonnegative() })
    .describe("Rollouts of which a person said whether they carry the label: how often it says the same."),
});
export type AdmittedDiagnostic = z.infer<typeof AdmittedDiagnostic>;

/** Whether a harness version is in force from then on. */
export const Admission = z.object({
  verdict: z.enum(admissionVerdicts),
  diagnostics: z.array(AdmittedDiagnostic),
});
export type Admission = z.infer<typeof Admission>;

/** A version that would be decided otherwise with the diagnostics that are in force now. Its decision stays. */
export const WouldDiffer = z.object({
  version: Name,
  was: z.enum(shownDecisions),
  wouldBe: z.enum(shownDecisions),
  because: z.string().min(1),
});
export type WouldDiffer = z.infer<typeof WouldDiffer>;
