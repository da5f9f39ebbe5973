import { auditGapParts } from "../../../shared/words/auditText.ts";
import { element } from "./dom.ts";
import { signElement } from "./outcomes.ts";

/** What the audit says beside the score, with the sign of its verdict; nothing where they cannot be compared. */
export function auditGapNodes(gap: Parameters<typeof auditGapParts>[0] | undefined): (Node | string)[] {
  if (gap === undefined) return [];
  const { apart, interval, look } = auditGapParts(gap);
  return [
    `, ${apart}`,
    element("span", "range", ` ${interval}`),
    ", ",
    signElement(look.mark, `colour-${look.colour}`),
    ` ${look.word}`,
  ];
}
