import type { LabelShifts } from "../../../shared/protocol/results/shift.ts";
import { verdictLooks, type Colour } from "../../../shared/words/decisions.ts";
import { element } from "../shared/dom.ts";
import { signElement } from "../shared/outcomes.ts";

type Shift = Pick<LabelShifts["shifts"][number], "verdict" | "says">;

const words = { improved: "better: ", regressed: "worse: ", inside_noise: "", withheld: "" } as const;

/** The colour of a change of a label; that of text where it is neither better nor worse for sure. */
export const shiftColour = ({ verdict }: Pick<Shift, "verdict">): Colour =>
  verdict === "improved" || verdict === "regressed" ? verdictLooks[verdict].colour : "foreground";

/** `▲ better: vanished`, `▼ worse: rose`, `≈ within noise`; of what nobody can say it of, and of numbers not to be trusted, the change alone. */
export function shiftVerdictElement(shift: Shift, isTrusted: boolean): HTMLElement {
  const { verdict, says } = shift;
  const made = element("span", "shift-verdict");
  if (verdict === undefined || !isTrusted) {
    made.append(says);
    return made;
  }
  const { mark, colour } = verdictLooks[verdict];
  made.append(signElement(mark, `sign colour-${colour}`), ` ${words[verdict]}${says}`);
  return made;
}
