import type { LabelShifts } from "../../../shared/protocol/results/shift.ts";
import { element, linkButton } from "../shared/dom.ts";
import { percentText } from "../shared/numbers.ts";
import { signElement } from "../shared/outcomes.ts";
import { visibleLine, visibleText } from "../shared/visibleText.ts";
import { movedRows, type LabelRow } from "./labelRows.ts";
import type { Pair, PairHandlers } from "./pair.ts";
import { shiftColour } from "./shiftVerdict.ts";

/** Labels that the banner names. */
const mostMoved = 3;

/**
 * The labels whose rate changed, or why nobody can tell: those that became worse first and then the largest changes, with a sign for the direction. Its colour says whether
 * that is better or worse, where anybody can say: nothing is in numbers that are not to be trusted.
 */
export function movedOf(
  shifts: LabelShifts | string | undefined,
  {
    pair: { a, b },
    deciding,
    isTrusted,
  }: { readonly pair: Pair; readonly deciding: readonly string[]; readonly isTrusted: boolean },
  on: PairHandlers,
): HTMLElement {
  const line = element("p", "moved");
  if (shifts === undefined || typeof shifts === "string") {
    const said =
      shifts === undefined ? "Reading the labels…" : `The labels cannot be compared: ${visibleLine(shifts)}`;
    line.append(element("span", "quiet", said));
    return line;
  }
  const moved = movedRows(shifts, deciding).slice(0, mostMoved);
  if (moved.length === 0) {
    line.append(element("span", "quiet", "No label changed beyond the noise."));
    return line;
  }
  const first = moved.find(({ decided }) => !decided);
  for (const row of moved) {
    const { shift, name, decided } = row;
    if (row === first) line.append(element("span", "quiet lead", "moved "));
    const version = (shift.b.rate ?? 0) > 0 ? b : a;
    const one = element("span", "moved-label");
    if (decided) one.append(element("span", "quiet", "decided by "));
    one.append(
      linkButton(visibleText(name), () => on.evidence({ version, label: name })),
      ` ${rateText(shift.a.rate)} → ${rateText(shift.b.rate)} `,
      ...directionOf(shift, isTrusted),
    );
    line.append(one);
  }
  return line;
}

function directionOf(shift: LabelRow["shift"], isTrusted: boolean): (Node | string)[] {
  const { difference } = shift;
  if (difference === null || difference === 0) return [];
  const isMore = difference > 0;
  const colour = isTrusted ? shiftColour(shift) : "foreground";
  return [signElement(isMore ? "↑" : "↓", `colour-${colour}`), isMore ? " more often" : " less often"];
}

const rateText = (rate: number | null): string => (rate === null ? "?" : percentText(rate));
