import * as z from "zod";
import { ApiVersion, ChangePlace, Factor, Name } from "./common.ts";
import { Edit } from "./edit.ts";

/** `*.intervention.yaml`: one falsifiable change of exactly one factor. */
export const InterventionSpec = z.strictObject({
  apiVersion: ApiVersion,
  kind: z.literal("Intervention"),
  name: Name.describe("The intervention's name, which its versions have too."),
  hypothesis: z
    .strictObject({
      change: ChangePlace.describe("What the intervention changes: the path of a value, or a file."),
      metric: Name.describe("The metric that should move."),
      direction: z.enum(["increase", "decrease"]).describe("Where the metric should move."),
      because: z.string().min(1).describe("Why it should, in words."),
    })
    .describe("What is expected of the change; training can prove it wrong."),
  targets: z.array(Name).min(1).describe("Labels, alerts or rules that it answers."),
  factor: Factor,
  edit: z
    .array(Edit)
    .min(1)
    .describe("What it changes: values, values that are still to be chosen, or lines of files (a patch)."),
  predicts: z
    .strictObject({
      fixes: z.array(Name).default([]).describe("Labels that should become rarer."),
      risks: z.array(Name).default([]).describe("Labels that may become more frequent."),
    })
    .prefault({})
    .describe("Labels that should become rarer, and labels that may become more frequent."),
  success: z
    .strictObject({
      metric: Name.default("solve_rate").describe("The metric that decides."),
      atLeast: z.number().describe("Smallest change of the metric that counts as success."),
      confidence: z.number().gt(0.5).lt(1).default(0.95).describe("How sure the comparison must be."),
    })
    .describe("When the version counts as better."),
  guardrails: z
    .array(
      z.strictObject({
        metric: Name.describe("The label or metric that is limited."),
        atMost: z.number().describe("Its largest value; for a label its rate, from 0 to 1."),
      }),
    )
    .default([])
    .describe("Limits that the version must keep to, whatever it wins."),
  rollback: z
    .literal("revert")
    .default("revert")
    .describe("How a kept version of it is undone: by a version that reverts the commit."),
});
export type InterventionSpec = z.infer<typeof InterventionSpec>;
