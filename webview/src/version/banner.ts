import { decidingLabels } from "../../../shared/model/decidingLabels.ts";
import { distrustText, type Distrust } from "../../../shared/model/distrust.ts";
import { hasSeedsSince } from "../../../shared/model/seedsSince.ts";
import { decisionLook, verdictLooks } from "../../../shared/words/decisions.ts";
import { decisionText } from "../../../shared/words/stages.ts";
import { points as plainPoints, pointsApart } from "../../../shared/words/numbers.ts";
import type { Comparison } from "../../../shared/ledger/measures.ts";
import type { PairedComparison } from "../../../shared/protocol/results/pairedComparison.ts";
import type { LabelShifts } from "../../../shared/protocol/results/shift.ts";
import type { PartAnswers, ShownVersion } from "../../../shared/protocol/views/version.ts";
import { pointsAxis } from "../shared/charts/axis.ts";
import { inPoints, whiskersOf, type Tone } from "../shared/charts/whisker.ts";
import { glossary } from "../../../shared/words/glossary.ts";
import { shortName } from "../../../shared/words/shortName.ts";
import { auditGapNodes } from "../shared/auditGap.ts";
import { struckScore, warningElement } from "../shared/distrusted.ts";
import { element } from "../shared/dom.ts";
import {
  percentIntervalText,
  percentText,
  pointsIntervalText,
  pointsText,
  setPercentText,
} from "../shared/numbers.ts";
import { firstSentence } from "../shared/firstSentence.ts";
import { signElement } from "../shared/outcomes.ts";
import { visibleLine, visibleText } from "../shared/visibleText.ts";
import { examplesOf, examplesToShow, isRefused } from "./examples.ts";
import { itemsMovedOf } from "./itemsMoved.ts";
import { alertNodes, doubtNodes } from "./doubts.ts";
import { decidedAgainst } from "./known.ts";
import { movedOf } from "./moved.ts";
import type { PairHandlers } from "./pair.ts";

/** What the banner says of one version beside another; what has not come yet is undefined. */
export type Answer = {
  readonly version: ShownVersion;
  readonly against: ShownVersion | undefined;
  readonly distrust: { readonly of: string; readonly found: Distrust; readonly reason: string } | undefined;
  readonly comparison: PairedComparison | undefined;
  /** Why there is no comparison. */
  readonly refused: string | undefined;
  readonly shifts: LabelShifts | undefined;
  /** Why nobody can tell how labels shifted. */
  readonly unshifted: string | undefined;
  /** Rollouts that were asked for to show why it was not kept. */
  readonly found: PartAnswers["examples"] | undefined;
};

export const verdictTones: Readonly<Record<PairedComparison["verdict"], Tone>> = {
  improved: "better",
  regressed: "worse",
  inside_noise: "undecided",
  withheld: "undecided",
};

/** That of every interval beside which no level is written. */
const ordinaryLevel = 0.95;

/** The answer first: what was decided, by how much it differs, what moved, and the turns to look at. */
export function bannerOf(answer: Answer, on: PairHandlers): Node[] {
  const { version, against, distrust } = answer;
  const pair = against === undefined ? undefined : { a: against.name, b: version.name };
  const deciding = decidingLabels(version);
  const isTrusted = distrust === undefined;
  return [
    headOf(version),
    ...reasonOf(version),
    ...(distrust === undefined
      ? differenceOf(answer)
      : [
          warningElement("p", distrustText(distrust.found, distrust.reason)),
          ...(pair === undefined
            ? []
            : [
                element(
                  "p",
                  "not-valid",
                  `Comparison with ${visibleLine(shortName(pair.a))}: not valid${distrust.of === version.name ? "" : `, because ${visibleLine(shortName(distrust.of))} is not`}.`,
                ),
              ]),
        ]),
    factsOf(version, isTrusted),
    ...(pair === undefined
      ? []
      : [movedOf(answer.shifts ?? answer.unshifted, { pair, deciding, isTrusted }, on)]),
    ...(pair === undefined || answer.comparison === undefined || !isTrusted || isRefused(version)
      ? []
      : itemsMovedOf(answer.comparison, pair, on)),
    ...examplesOf(examplesToShow({ ...answer, isTrusted }), on),
  ];
}

function headOf(version: ShownVersion): HTMLElement {
  const { mark, colour } = decisionLook(version.decision, version.comparison?.verdict);
  // What was rejected because nothing showed a difference is not painted as worse.
  const isOpen = version.decision === "reject" && colour === "foreground";
  const line = element("p", `decided ${version.decision}${isOpen ? " undecided" : ""}`);
  const name = element("strong", "", visibleLine(shortName(version.name)));
  name.title = visibleLine(version.name);
  const decided = element("strong", "decided-word");
  decided.append(
    signElement(mark, "decided-mark"),
    ` ${decisionText(version, "became")}${version.promoted ? ", promoted" : ""}`,
  );
  line.append(decided, " ", name, element("span", "what", ` ${visibleLine(version.title)}`));
  return line;
}

/** Why a version was rejected, in the words of the decision; of an invalid one the warning says it. */
function reasonOf({ decision, reason, distrust }: ShownVersion): HTMLElement[] {
  if (decision !== "reject" || distrust !== undefined || reason === "") return [];
  // What decided is the first sentence; what was found besides may be long.
  const [first, rest] = firstSentence(reason);
  const line = element("p", "because", `because ${visibleLine(first)}`);
  if (rest === "") return [line];
  const more = element("p", "because-more quiet", visibleLine(rest));
  more.title = visibleLine(reason);
  return [line, more];
}

function differenceOf({ version, against, comparison, refused }: Answer): HTMLElement[] {
  if (against === undefined) return [];
  const over = shortName(against.name);
  if (comparison === undefined)
    return [element("p", "quiet", refused === undefined ? "Comparing…" : visibleText(refused))];
  const decided = decidedAgainst(version, against.name) ?? comparison;
  const { difference, low, high, outer, verdict, confidence, items } = decided;
  const said = element("p", `verdict ${verdict}`);
  const big = element("strong", "", visibleLine(outcomeText(decided, over)));
  big.title = visibleLine(against.name);
  said.append(
    signElement(verdictLooks[verdict].mark),
    " ",
    big,
    element(
      "span",
      "quiet basis",
      ` ${setPercentText(confidence)} interval ${pointsIntervalText(low, high)}${levelText(confidence)}, ${items} items${seedsText(decided.seeds)}`,
    ),
  );
  said.title = glossary.confidence;
  const values = [difference, low, high, ...(outer ?? [])];
  const drawn = whiskersOf(
    [
      {
        ...{ value: difference, low, high, outer, tone: verdictTones[verdict] },
        says: `${pointsText(difference)} ${pointsIntervalText(low, high)} against ${against.name}`,
      },
    ],
    pointsAxis(values),
    inPoints,
  );
  return [said, drawn, ...sinceOf(decided, comparison, over)];
}

/**
 * What all seeds say where more were trained since the decision. A version is often kept on the seeds that flatter it, and a page
 * that shows its score on all of them may not hide what they make of the difference.
 */
function sinceOf(decided: Comparison, now: PairedComparison, over: string): HTMLElement[] {
  if (!hasSeedsSince(decided.seeds, now.seeds)) return [];
  const line = element("p", `since ${now.verdict}`);
  line.append(
    `Since the decision, on all seeds${seedsText(now.seeds)}: `,
    signElement(verdictLooks[now.verdict].mark),
    " ",
    element("strong", "", visibleLine(outcomeText(now, over))),
    element(
      "span",
      "quiet basis",
      ` ${setPercentText(now.confidence)} interval ${pointsIntervalText(now.low, now.high)}`,
    ),
  );
  return [line];
}

const outcomeText = ({ verdict, difference }: Comparison, over: string): string =>
  ({
    improved: `${pointsApart(difference)} better than ${over}`,
    regressed: `${pointsApart(difference)} worse than ${over}`,
    inside_noise: `inside the noise of ${over} (${plainPoints(difference)})`,
    withheld: `no verdict against ${over} (${plainPoints(difference)})`,
  })[verdict];

/** Why an interval is wider than those beside it, which are 95 %. */
function levelText(confidence: number): string {
  const ordinary = setPercentText(ordinaryLevel);
  return setPercentText(confidence) === ordinary
    ? ""
    : ` (the level that its test had to reach; where none is written it is ${ordinary})`;
}

/** `, seeds 1 against 2`: how many seeds each version has. */
const seedsText = (seeds: readonly [number, number] | undefined): string =>
  seeds === undefined ? "" : `, ${seeds[1]} ${seeds[1] === 1 ? "seed" : "seeds"} against ${seeds[0]}`;

/** Score, audit with the side of the score on which it lies, the seeds, what of all this is not to be trusted, and alerts. */
function factsOf(version: ShownVersion, isTrusted: boolean): HTMLElement {
  const { score, low, high, audit, distrust, trial } = version;
  const list = element("dl", "answer-facts");
  const add = (name: string, ...value: (string | Node)[]): void => {
    const pair = element("div", `fact-${name.replaceAll(" ", "-")}`);
    const cell = element("dd");
    cell.append(...value);
    pair.append(element("dt", "", name), cell);
    list.append(pair);
  };
  if (score === null) add("score", "not measured");
  else if (distrust !== undefined) add("score", struckScore(score, distrust.counts));
  else add("score", percentText(score), ...(low === null || high === null ? [] : [rangeOf(low, high)]));
  if (audit === null) add("audit", "sealed");
  else add("audit", percentText(audit.score), rangeOf(audit.low, audit.high), ...auditGapNodes(audit.gap));
  const seeds = trial?.seeds ?? [];
  if (seeds.length > 0) add(seeds.length === 1 ? "seed" : "seeds", seeds.join(", "));
  // Where it is not valid, the warning above says so, and nothing else counts.
  if (!isTrusted || score === null) return list;
  add("not to be trusted", ...doubtNodes(version));
  const alerts = alertNodes(version);
  if (alerts.length > 0) add("alerts", ...alerts);
  return list;
}

const rangeOf = (low: number, high: number): HTMLElement =>
  element("span", "range", ` ${percentIntervalText(low, high)}`);
