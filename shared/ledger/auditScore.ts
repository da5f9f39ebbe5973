// A namespace, so that a webview carries only the part of zod that it uses.
import * as z from "zod";
import { auditVerdicts } from "../words/decisions.ts";

/** The score on the audit split less that on the selection split, as a share, with its 95 % interval. */
export const AuditGap = z.object({
  difference: z.number(),
  low: z.number(),
  high: z.number(),
  verdict: z
    .enum(auditVerdicts)
    .describe(
      "overfits: below by more than the noise, and than the baseline if that was audited. harder, easier: the noise does not explain it, but the items do.",
    ),
});
export type AuditGap = z.infer<typeof AuditGap>;

/** As the lineage tells it; the gap is left out where there is no score that it could be compared with. */
export const AuditScore = z.object({
  score: z.number(),
  low: z.number(),
  high: z.number(),
  gap: AuditGap.optional(),
});
export type AuditScore = z.infer<typeof AuditScore>;
