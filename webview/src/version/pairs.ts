import { decisionLooks, verdictLooks } from "../../../shared/words/decisions.ts";
import type { ComparedPair, ShownVersion } from "../../../shared/protocol/views/version.ts";
import { pointsAxis } from "../shared/charts/axis.ts";
import { inPoints, whiskersOf, type WhiskerRow } from "../shared/charts/whisker.ts";
import { shortName } from "../../../shared/words/shortName.ts";
import { element, linkButton } from "../shared/dom.ts";
import { pointsIntervalText, pointsText, setPercentText } from "../shared/numbers.ts";
import { visibleLine } from "../shared/visibleText.ts";
import { verdictTones } from "./banner.ts";
import { decidedAgainst } from "./known.ts";
import type { Pair } from "./pair.ts";

/** Every two of so many are compared: 15 pairs are what a person still looks through. */
export const mostPaired = 6;

/** Every pair of several versions on one axis; the one whose details stand below is marked. */
export function pairsOf(
  pairs: readonly ComparedPair[],
  {
    chosen,
    left,
    choose,
  }: {
    readonly chosen: Pair | undefined;
    /** Versions that are shown but not compared here. */
    readonly left: readonly string[];
    readonly choose: (pair: Pair) => void;
  },
): Node[] {
  const values = pairs.flatMap(({ found }) =>
    found === null ? [] : [found.difference, found.low, found.high],
  );
  const rows = pairs.map((pair): WhiskerRow => {
    const { a, b, found, refused } = pair;
    const name = element("span", "pair-name");
    const open = linkButton(visibleLine(`${shortName(a)} → ${shortName(b)}`), () => choose({ a, b }));
    open.title = visibleLine(`${a} → ${b}`);
    open.setAttribute("aria-pressed", String(chosen?.a === a && chosen.b === b));
    name.append(open, element("span", "pair-says", pairText(pair)));
    const tone =
      found === null
        ? "neutral"
        : (found.notValid ?? []).length > 0
          ? "untrusted"
          : verdictTones[found.verdict];
    return {
      ...{ name, tone },
      ...(found === null
        ? { value: null, low: null, high: null }
        : { value: found.difference, low: found.low, high: found.high }),
      says: refused ?? pairText(pair),
    };
  });
  return [
    whiskersOf(rows, pointsAxis(values), inPoints),
    element(
      "p",
      "quiet",
      chosen === undefined
        ? "Choose a pair to see its labels, items and flow."
        : `Below: from ${visibleLine(chosen.a)} to ${visibleLine(chosen.b)}.`,
    ),
    ...(left.length === 0
      ? []
      : [
          element(
            "p",
            "quiet",
            `Not compared here: ${left.map(visibleLine).join(", ")}. Remove others to see them.`,
          ),
        ]),
  ];
}

/** Where one of the two was decided against the other, the interval of that decision is the one that is shown. */
export function asDecided(pair: ComparedPair, version: ShownVersion | undefined): ComparedPair {
  const decided = decidedAgainst(version, pair.a);
  if (decided === undefined || pair.found === null) return pair;
  const { difference, low, high, confidence, verdict, items } = decided;
  return { ...pair, found: { ...pair.found, difference, low, high, confidence, verdict, items } };
}

function pairText({ found, refused }: ComparedPair): string {
  if (found === null) return refused ?? "";
  const { difference, low, high, confidence, verdict, notValid = [] } = found;
  if (notValid.length > 0)
    return `${decisionLooks.invalid.mark} not valid: ${notValid.map(({ version }) => shortName(version)).join(", ")}`;
  return `${verdictLooks[verdict].mark} ${pointsText(difference)} ${pointsIntervalText(low, high)} at ${setPercentText(confidence)}`;
}
