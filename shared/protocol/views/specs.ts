import * as z from "zod";

/** A diagnostic that is in use, with what it found in a version. */
export const DiagnosticRow = z.object({
  name: z.string(),
  layer: z.string(),
  severity: z.enum(["info", "warning", "critical"]),
  description: z.string().nullable(),
  /** Path in the project, or library/…; `file` is where it lies on this machine. */
  path: z.string(),
  file: z.string(),
  shipped: z.boolean(),
  /** Share of the version's rollouts that carry the label, of those decided; null where the version was not measured with it, or none was decided. */
  rate: z.number().nullable(),
  rollouts: z.number().nullable(),
  over: z.enum(["rollout", "group"]),
  alert: z.enum(["warning", "critical"]).nullable(),
  /** It was admitted on trial: it cannot make a version invalid. */
  onTrial: z.literal(true).optional(),
});
export type DiagnosticRow = z.infer<typeof DiagnosticRow>;

/** Diagnostics of a project, and the version that the rates are of; null when none was measured. */
export const DiagnosticsList = z.object({
  version: z.string().nullable(),
  diagnostics: z.array(DiagnosticRow),
  problems: z.array(z.object({ path: z.string(), line: z.number(), message: z.string() })),
});
export type DiagnosticsList = z.infer<typeof DiagnosticsList>;
