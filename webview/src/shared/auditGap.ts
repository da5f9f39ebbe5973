import { auditGapParts } from "../../../shared/words/auditText.ts";
import { signElement } from "./outcomes.ts";

/** What the audit says beside the score, with the sign of its verdict; nothing where they cannot be compared. */
export function auditGapNodes(gap: Parameters<typeof auditGapParts>[0] | undefined): (Node | string)[] {
  if (gap === undefined) return [];
  const { apart, look } = auditGapParts(gap);
  return [`, ${apart}, `, signElement(look.mark, `colour-${look.colour}`), ` ${look.word}`];
}
