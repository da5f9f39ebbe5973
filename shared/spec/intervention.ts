import * as z from "zod";
import { ApiVersion, ChangePlace, Factor, Name } from "./common.ts";
import { Edit } from "./edit.ts";

/** `*.intervention.yaml`: one falsifiable change of exactly one factor. */
export const InterventionSpec = z.strictObject({
  apiVersion: ApiVersion,
  kind: z.literal("Intervention"),
  name: Name,
  hypothesis: z.strictObject({
    change: ChangePlace.describe("What the intervention changes: the path of a value, or a file."),
    metric: Name.describe("The metric that should move."),
    direction: z.enum(["increase", "decrease"]),
    because: z.string().min(1),
  }),
  targets: z.array(Name).min(1).describe("Labels, alerts or rules that it answers."),
  factor: Factor,
  edit: z
    .array(Edit)
    .min(1)
    .describe("What it changes: values, values that are still to be chosen, or lines of files (a patch)."),
  predicts: z
    .strictObject({ fixes: z.array(Name).default([]), risks: z.array(Name).default([]) })
    .prefault({})
    .describe("Labels that should become rarer, and labels that may become more frequent."),
  success: z.strictObject({
    metric: Name.default("solve_rate"),
    atLeast: z.number().describe("Smallest change of the metric that counts as success."),
    confidence: z.number().gt(0.5).lt(1).default(0.95),
  }),
  guardrails: z.array(z.strictObject({ metric: Name, atMost: z.number() })).default([]),
  rollback: z.literal("revert").default("revert"),
});
export type InterventionSpec = z.infer<typeof InterventionSpec>;
