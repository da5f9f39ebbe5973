import type { LabelShifts } from "../../../shared/protocol/results/shift.ts";
import { verdictLooks, type Colour } from "../../../shared/words/decisions.ts";
import { element } from "../shared/dom.ts";
import { signElement } from "../shared/outcomes.ts";

type Shift = Pick<LabelShifts["shifts"][number], "verdict" | "says">;

/** The colour of a change of a label; that of text where it is neither better nor worse for sure. */
export const shiftColour = ({ verdict }: Pick<Shift, "verdict">): Colour =>
  verdict === "improved" || verdict === "regressed" ? verdictLooks[verdict].colour : "foreground";

/** `▲ better`, `▼ worse`, `≈ within noise`; where nobody can say so, and of numbers not to be trusted, what the change is. */
export function shiftVerdictElement(shift: Shift, isTrusted: boolean): HTMLElement {
  const { verdict, says } = shift;
  const made = element("span", verdict === "withheld" ? "" : "whole");
  if (verdict === undefined || !isTrusted) {
    made.append(says);
    return made;
  }
  const { mark, colour } = verdictLooks[verdict];
  const word = verdict === "improved" ? "better" : verdict === "regressed" ? "worse" : says;
  made.append(signElement(mark, `sign colour-${colour}`), ` ${word}`);
  made.title = says;
  return made;
}
