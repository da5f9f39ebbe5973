import { auditLooks, type AuditVerdictWord, type Look } from "./decisions.ts";
import { pointsBeside, pointsInterval } from "./numbers.ts";

type Gap = {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  readonly verdict: AuditVerdictWord;
};

/** `7.3 points below`, `[−19.3, +4.6]`, and how what that says is shown. */
export const auditGapParts = ({
  difference,
  low,
  high,
  verdict,
}: Gap): { readonly apart: string; readonly interval: string; readonly look: Look } => ({
  apart: pointsBeside(difference, 0),
  interval: pointsInterval(low, high),
  look: auditLooks[verdict],
});

/** `, 7.3 points below [−19.3, +4.6], ≈ inside the noise`: said behind the score on the audit split. */
export function auditGapText(gap: Gap | undefined): string {
  if (gap === undefined) return "";
  const { apart, interval, look } = auditGapParts(gap);
  return `, ${apart} ${interval}, ${look.mark} ${look.word}`;
}
