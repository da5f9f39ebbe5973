import * as z from "zod";

/** A diagnostic that somebody brings along with a request: a file as its owner names it, and its text. */
export const DiagnosticFile = z.object({
  path: z.string().min(1).max(4096),
  text: z.string().max(1_000_000),
});
export type DiagnosticFile = Readonly<z.infer<typeof DiagnosticFile>>;

/** The files that a request brings along. */
export const withFiles = () => ({
  with: z
    .array(DiagnosticFile)
    .max(50)
    .default([])
    .describe(
      "Diagnostics that are used for this request besides those of the project; they replace those with the same name.",
    ),
});
