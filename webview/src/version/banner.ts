import { parseRolloutName } from "../../../shared/model/rolloutName.ts";
import { distrustText, type Distrust } from "../../../shared/model/distrust.ts";
import { hasSeedsSince } from "../../../shared/model/seedsSince.ts";
import { isChange, shiftsToShow } from "../../../shared/model/labelShifts.ts";
import { decisionLooks, verdictLooks } from "../../../shared/words/decisions.ts";
import { decisionText } from "../../../shared/words/stages.ts";
import { points as plainPoints, pointsApart } from "../../../shared/words/numbers.ts";
import type { Comparison } from "../../../shared/ledger/measures.ts";
import type { PairedComparison } from "../../../shared/protocol/results/pairedComparison.ts";
import type { LabelShifts } from "../../../shared/protocol/results/shift.ts";
import type { ShownVersion } from "../../../shared/protocol/views/version.ts";
import { pointsAxis } from "../shared/charts/axis.ts";
import { inPoints, whiskersOf, type Tone } from "../shared/charts/whisker.ts";
import { shortName } from "../../../shared/words/shortName.ts";
import { struckScore, warningElement } from "../shared/distrusted.ts";
import { element, linkButton } from "../shared/dom.ts";
import {
  percentIntervalText,
  percentText,
  pointsIntervalText,
  pointsText,
  setPercentText,
} from "../shared/numbers.ts";
import { signElement } from "../shared/outcomes.ts";
import { visibleLine, visibleText } from "../shared/visibleText.ts";
import type { Pair, PairHandlers } from "./pair.ts";

/** What the banner says of one version beside another; what has not come yet is undefined. */
export type Answer = {
  readonly version: ShownVersion;
  readonly against: ShownVersion | undefined;
  readonly distrust: { readonly of: string; readonly found: Distrust; readonly reason: string } | undefined;
  readonly comparison: PairedComparison | undefined;
  /** Why there is no comparison. */
  readonly refused: string | undefined;
  readonly shifts: LabelShifts | undefined;
};

/** Labels that the banner names, and turns that it opens. */
const mostMoved = 3;
const mostExamples = 2;

export const verdictTones: Readonly<Record<PairedComparison["verdict"], Tone>> = {
  improved: "better",
  regressed: "worse",
  inside_noise: "undecided",
  withheld: "undecided",
};

/** The answer first: what was decided, by how much it differs, what moved, and the turns to look at. */
export function bannerOf(answer: Answer, on: PairHandlers): Node[] {
  const { version, against, distrust } = answer;
  const pair = against === undefined ? undefined : { a: against.name, b: version.name };
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
    factsOf(version),
    ...(pair === undefined ? [] : [movedOf(answer.shifts, pair, on)]),
    ...examplesOf(answer, on),
  ];
}

function headOf(version: ShownVersion): HTMLElement {
  const { mark } = decisionLooks[version.decision];
  const line = element("p", `decided ${version.decision}`);
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
  const line = element("p", "because", `because ${visibleLine(reason)}`);
  line.title = visibleLine(reason);
  return [line];
}

function differenceOf({ version, against, comparison, refused }: Answer): HTMLElement[] {
  if (against === undefined) return [];
  const over = shortName(against.name);
  if (comparison === undefined)
    return [element("p", "quiet", refused === undefined ? "Comparing…" : visibleText(refused))];
  // What the decision went by, where it was made against the same version: one difference has one interval.
  const decided = version.comparison?.against === against.name ? version.comparison : comparison;
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
      ` ${setPercentText(confidence)} interval ${pointsIntervalText(low, high)}, ${items} items${seedsText(decided.seeds)}`,
    ),
  );
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

/** `, seeds 1 against 2`: how many seeds each version has. */
const seedsText = (seeds: readonly [number, number] | undefined): string =>
  seeds === undefined ? "" : `, ${seeds[1]} ${seeds[1] === 1 ? "seed" : "seeds"} against ${seeds[0]}`;

/** Score, audit and the gap between them, and the seeds. */
function factsOf(version: ShownVersion): HTMLElement {
  const { score, low, high, audit, distrust, trial } = version;
  const list = element("dl", "answer-facts");
  const add = (name: string, ...value: (string | Node)[]): void => {
    const pair = element("div");
    const cell = element("dd");
    cell.append(...value);
    pair.append(element("dt", "", name), cell);
    list.append(pair);
  };
  if (score === null) add("score", "not measured");
  else if (distrust !== undefined) add("score", struckScore(score, distrust.counts));
  else add("score", percentText(score), ...(low === null || high === null ? [] : [rangeOf(low, high)]));
  if (audit === null) add("audit", "sealed");
  else add("audit", percentText(audit.score), rangeOf(audit.low, audit.high));
  if (audit !== null && score !== null) add("gap", pointsApart(score - audit.score));
  const seeds = trial?.seeds ?? [];
  if (seeds.length > 0) add(seeds.length === 1 ? "seed" : "seeds", seeds.join(", "));
  return list;
}

const rangeOf = (low: number, high: number): HTMLElement =>
  element("span", "range", ` ${percentIntervalText(low, high)}`);

/** The labels whose rate changed most, with a sign for the direction: a label says what went wrong, and more of it is worse. */
function movedOf(shifts: LabelShifts | undefined, { a, b }: Pair, on: PairHandlers): HTMLElement {
  const line = element("p", "moved");
  if (shifts === undefined) {
    line.append(element("span", "quiet", "Reading the labels…"));
    return line;
  }
  const moved = byEffect(shifts).slice(0, mostMoved);
  if (moved.length === 0) {
    line.append(element("span", "quiet", "No label changed beyond the noise."));
    return line;
  }
  line.append(element("span", "quiet lead", "moved most "));
  for (const shift of moved) {
    const version = (shift.b.rate ?? 0) > 0 ? b : a;
    const isMore = (shift.difference ?? 0) > 0;
    const one = element("span", "moved-label");
    one.append(
      linkButton(visibleText(shift.label), () => on.evidence({ version, label: shift.label })),
      ` ${rateText(shift.a.rate)} → ${rateText(shift.b.rate)} `,
      signElement(isMore ? "▴" : "▾", isMore ? "colour-red" : "colour-green"),
      isMore ? " more often" : " less often",
    );
    line.append(one);
  }
  return line;
}

const rateText = (rate: number | null): string => (rate === null ? "?" : percentText(rate));

/** The labels that changed beyond the noise, the largest change of the rate first; one failure once. */
function byEffect({ shifts }: Pick<LabelShifts, "shifts">): LabelShifts["shifts"] {
  return shiftsToShow(shifts)
    .shown.filter(isChange)
    .sort((x, y) => Math.abs(y.difference ?? 0) - Math.abs(x.difference ?? 0));
}

/** Turns that show what was decided by; where the decision names none, where the largest flips part. */
function examplesOf({ version, comparison }: Answer, on: PairHandlers): HTMLElement[] {
  const named = (version.evidence ?? []).flatMap(({ rollout, turns, label }) => {
    const named = parseRolloutName(rollout);
    return named === undefined ? [] : [{ ...named, label, turn: turns[0] }];
  });
  const parted = (comparison?.flips ?? []).flatMap(({ direction, divergence, item }) =>
    divergence === null
      ? []
      : [
          {
            ...divergence.after,
            label: undefined,
            turn: divergence.first?.b ?? undefined,
            says: `${item}, ${direction}`,
          },
        ],
  );
  const wanted = comparison !== undefined && comparison.difference < 0 ? "broken" : "fixed";
  const flips = parted.sort((x, y) => Number(y.says.endsWith(wanted)) - Number(x.says.endsWith(wanted)));
  const examples = [...named.map((one) => ({ ...one, says: one.label })), ...flips].slice(0, mostExamples);
  if (examples.length === 0) return [];
  const line = element("p", "examples");
  line.append(element("span", "quiet", "look at "));
  for (const { run, id, label, turn, says } of examples) {
    const text = `${visibleLine(says)}${turn === undefined ? "" : `, turn ${turn + 1}`}`;
    const open = linkButton(text, () => on.rollout({ run, id, ...(label === undefined ? {} : { label }) }));
    open.title = visibleLine(`${run}/${id}`);
    line.append(open);
  }
  return [line];
}
