import { z } from "zod";
import { ApiVersion, Name } from "./common.ts";

export const layers = ["score", "signal", "behaviour"] as const;
export const severities = ["info", "warning", "critical"] as const;

const Expression = z.string().min(1).max(10_000);

/** `*.diagnostic.yaml`: a label attached to rollouts, with the turns that show it, and when to alert. */
export const DiagnosticSpec = z.strictObject({
  apiVersion: ApiVersion,
  kind: z.literal("Diagnostic"),
  name: Name,
  description: z.string().optional().describe("What it means for the researcher, in a sentence."),
  layer: z.enum(layers).default("behaviour"),
  domains: z.array(Name).optional().describe("Domains it is made for; all when omitted."),
  label: z.strictObject({
    when: Expression.describe("CEL over one rollout; the label is set where it is true."),
    evidence: Expression.optional().describe("CEL over `turn`; the turns that show the label."),
    severity: z.enum(severities).default("warning"),
    invalidates: z
      .boolean()
      .default(false)
      .describe("One labelled rollout of the selection split makes the version invalid."),
  }),
  alert: z
    .strictObject({
      metric: z.literal("rate").default("rate"),
      above: z.number().min(0).max(1).describe("Share of rollouts above which the version gets an alert."),
      critical: z.number().min(0).max(1).optional(),
    })
    .optional(),
  examples: z
    .array(z.strictObject({ rollout: z.string().min(1), expect: z.enum(["labelled", "clear"]) }))
    .default([])
    .describe("Archived rollouts that the label must or must not catch."),
});
export type DiagnosticSpec = z.infer<typeof DiagnosticSpec>;
