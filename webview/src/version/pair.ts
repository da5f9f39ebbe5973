import { withAlso } from "../../../shared/model/foldedLabels.ts";
import { isChange } from "../../../shared/model/labelShifts.ts";
import type { Comparison } from "../../../shared/ledger/measures.ts";
import type { flowKinds } from "../../../shared/model/flowKinds.ts";
import { outcomes } from "../../../shared/model/outcomes.ts";
import type { LabelByPeople } from "../../../shared/protocol/results/people.ts";
import type { Flip, PairedComparison } from "../../../shared/protocol/results/pairedComparison.ts";
import type { Flow, LabelShifts, Predictions } from "../../../shared/protocol/results/shift.ts";
import { verdictLooks } from "../../../shared/words/decisions.ts";
import { flipWord } from "../../../shared/words/flipText.ts";
import { unforeseenOf, unmeasuredText } from "../../../shared/words/foreseen.ts";
import { element, linkButton } from "../shared/dom.ts";
import { foreseenCell } from "../shared/foreseen.ts";
import { glossaryWord } from "../shared/glossaryWord.ts";
import {
  countedText,
  percentText,
  pointsIntervalText,
  pointsText,
  pText,
  setPercentText,
} from "../shared/numbers.ts";
import { visibleText } from "../shared/visibleText.ts";
import { tableOf, type Cell } from "../shared/table.ts";
import { labelRows, type LabelRow } from "./labelRows.ts";
import { aroundZero, intervalPlot, labelCellWithPeople } from "./parts.ts";

export type Pair = { readonly a: string; readonly b: string };
type Rollout = { readonly run: string; readonly id: string };
export type PairHandlers = {
  readonly evidence: (query: {
    version: string;
    label?: string;
    item?: string;
    outcome?: (typeof outcomes)[number];
  }) => void;
  /** At this turn, or with a label at the first that shows it. */
  readonly rollout: (rollout: Rollout & { label?: string; turn?: number }) => void;
  readonly rollouts: (a: Rollout, b: Rollout) => void;
};

/** More flips than anybody reads through here; the rest is counted. */
const mostFlips = 100;

/**
 * All that has to be known of a comparison besides its difference, in the words of `evotrainer compare`. Its own interval is
 * another one than that of the decision on top of the page: each says its level and what it is for.
 */
export function comparisonOf(found: PairedComparison, decided: Comparison | undefined): Node[] {
  const { sentences, itemsNeeded, items } = found;
  const needed =
    itemsNeeded === null
      ? []
      : [
          element(
            "p",
            "needed",
            `${countedText(items, "item was", "items were")} compared; detecting a difference of this size takes about ${itemsNeeded}.`,
          ),
        ];
  const list = element("ul", "sentences");
  // The first sentence is said here: beside another interval it has to say which one it is.
  for (const sentence of [oneLookText(found), ...sentences.slice(1)])
    list.append(element("li", "", visibleText(sentence)));
  // What is not valid was not decided by its difference.
  const isBy = decided !== undefined && (found.notValid ?? []).length === 0;
  return [...needed, ...(isBy ? decidedLines(decided) : []), list];
}

const decidedLines = ({ confidence, low, high, method }: Comparison): Node[] => [
  element(
    "p",
    "",
    `The decision went by the interval on top, ${pointsIntervalText(low, high)} points at ${setPercentText(confidence)}, the level that its test had to reach with what was measured then${method === undefined ? "" : ` (${visibleText(method)})`}.`,
  ),
  element("p", "quiet", "Other intervals of the same difference, from all that is in the archive now:"),
];

function oneLookText({
  confidence,
  difference,
  low,
  high,
  verdict,
  items,
  notValid = [],
}: PairedComparison): string {
  const word = notValid.length > 0 ? "not valid" : verdictLooks[verdict].word;
  return `${setPercentText(confidence)}, for one look at these two alone: ${pointsText(difference)} ${pointsIntervalText(low, high)}, ${word}, ${items} paired items.`;
}

/** What leaves the row first: the test, the numbers of the drawing, the drawing; the rates and their change stay longest. */
const leaving = [6, 5, 4, 7, 1, 2, 3];

/** A label of groups in two versions: it has rates, and no interval of their difference. */
export type GroupShift = {
  readonly label: string;
  readonly of: string;
  readonly a: number;
  readonly b: number;
};

/**
 * How the rate of every label changed, the largest change first; what stayed inside the noise or was not measured is folded,
 * and what no rollout of either version carries is counted.
 */
export function labelsOf(
  { shifts, notes, problems, split }: LabelShifts,
  { a, b }: Pair,
  {
    people,
    groups,
    deciding,
  }: {
    readonly people: readonly LabelByPeople[];
    readonly groups: readonly GroupShift[];
    /** What the version was not kept for: it comes first. */
    readonly deciding: readonly string[];
  },
  on: PairHandlers,
): Node[] {
  const { rows: ranked, never } = labelRows(shifts, deciding);
  const shown = ranked.map(({ shift }) => shift);
  const domain = aroundZero(shown.flatMap(({ low, high }) => [low, high]));
  const rate = (
    version: string,
    label: string,
    { rate: r, labelled, decided, undecided }: (typeof shown)[number]["a"],
  ): Cell => {
    if (r === null) return "–";
    const cell = element("span");
    cell.append(
      labelled > 0 ? linkButton(percentText(r), () => on.evidence({ version, label })) : percentText(r),
      element("span", "quiet", ` ${labelled}/${decided}${undecided === 0 ? "" : `, ${undecided} undecided`}`),
    );
    return { text: cell, className: "number" };
  };
  const rowOf = ({ shift: s, name, also, decided }: LabelRow): Cell[] => [
    labelCellWithPeople(`${visibleText(withAlso(name, also))}${decided ? " · decided" : ""}`, name, people),
    rate(a, name, s.a),
    rate(b, name, s.b),
    { text: s.difference === null ? "–" : pointsText(s.difference), className: "number" },
    { text: intervalPlot(domain, { value: s.difference, low: s.low, high: s.high }) },
    {
      text: s.low === null || s.high === null ? "no interval" : pointsIntervalText(s.low, s.high),
      className: "number",
    },
    { text: s.adjusted === null ? "–" : pText(s.adjusted), className: "number" },
    s.says,
  ];
  const isWorthIt = ({ shift, decided }: LabelRow): boolean => decided || isChange(shift);
  const groupRow = (g: GroupShift): Cell[] => [
    `${visibleText(g.label)} (${g.of})`,
    { text: percentText(g.a), className: "number" },
    { text: percentText(g.b), className: "number" },
    { text: pointsText(g.b - g.a), className: "number" },
    { text: intervalPlot(domain, { value: g.b - g.a, low: null, high: null }) },
    { text: "no interval", className: "number" },
    { text: "–", className: "number" },
    "of groups",
  ];
  const changed = [
    ...ranked
      .filter(isWorthIt)
      .map((one) => ({ by: one.decided ? 2 : (one.shift.difference ?? 0), row: rowOf(one) })),
    ...groups.filter((g) => g.a !== g.b).map((g) => ({ by: g.b - g.a, row: groupRow(g) })),
  ].sort((x, y) => Math.abs(y.by) - Math.abs(x.by));
  const rest = [
    ...ranked.filter((one) => !isWorthIt(one)).map(rowOf),
    ...groups.filter((g) => g.a === g.b).map(groupRow),
  ];
  const head = (): Cell[] => [
    "Label",
    visibleText(a),
    visibleText(b),
    "Change",
    "Drawn",
    "95 % interval",
    { text: glossaryWord("p (Holm)", "p (Holm)") },
    "Verdict",
  ];
  return [
    changed.length === 0
      ? element("p", "quiet", "No label changed beyond the noise.")
      : tableOf(
          `Labels from ${a} to ${b}, ${split} split`,
          head(),
          changed.map(({ row }) => row),
          leaving,
        ),
    ...(rest.length === 0
      ? []
      : [
          foldOf(
            `${countedText(rest.length, "label")} unchanged or not measured`,
            tableOf(`Unchanged labels from ${a} to ${b}`, head(), rest, leaving),
          ),
        ]),
    ...linesOf(never === 0 ? [] : [`${countedText(never, "label")} on no rollout of either version.`]),
    ...linesOf(notes),
    ...linesOf(problems.map((problem) => `Left out: ${problem}`)),
  ];
}

/** Where items and rollouts went: rows are the classes of a, columns those of b. */
export function flowOf(flow: Flow, pair: Pair, on: PairHandlers): Node[] {
  const left = (n: { a: number; b: number }, what: string): string[] =>
    n.a + n.b === 0 ? [] : [`${what}: ${n.a} of ${pair.a}, ${n.b} of ${pair.b}.`];
  return [
    ...(flow.items.total === 0 ? [] : [matrixOf(`Items: ${flow.items.total}`, flow.items, pair, on)]),
    ...(flow.rollouts === null
      ? []
      : [matrixOf(`Rollouts: ${flow.rollouts.total}`, flow.rollouts, pair, on)]),
    ...linesOf([
      ...left(flow.itemsOnlyIn, "Items missing from the other version"),
      ...left(flow.unpaired, "Rollouts that could not be paired"),
      ...flow.notes,
    ]),
  ];
}

function matrixOf(
  title: string,
  { classes, counts, before, after, total }: Flow["items"],
  { a, b }: Pair,
  on: PairHandlers,
): HTMLElement {
  const most = Math.max(1, ...counts.flat());
  const named = (name: string, version: string): Cell => {
    const outcome = outcomes.find((o) => o === name);
    return outcome === undefined
      ? visibleText(name)
      : { text: linkButton(name, () => on.evidence({ version, outcome })) };
  };
  const cell = (n: number): Cell => {
    const made = element("span", "count", n === 0 ? "·" : String(n));
    made.style.setProperty("--share", `${Math.round((35 * n) / most)}%`);
    return { text: made, className: "number" };
  };
  const rows = counts.map((row, i): Cell[] => [
    named(classes[i] ?? "", a),
    ...row.map(cell),
    { text: String(before[i] ?? 0), className: "number sum" },
  ]);
  rows.push([
    "all",
    ...after.map((n): Cell => ({ text: String(n), className: "number sum" })),
    { text: String(total), className: "number sum" },
  ]);
  return tableOf(
    `${title}, from ${a} (rows) to ${b} (columns)`,
    ["", ...classes.map((name) => named(name, b)), "all"],
    rows,
  );
}

/** The items that pass more or less often, with the first action in which two of their rollouts part. */
export function flipsOf(
  { flipped, flips, notValid = [] }: PairedComparison,
  { a, b }: Pair,
  on: PairHandlers,
): Node[] {
  const { fixed, broken, same, p } = flipped;
  const isValid = notValid.length === 0;
  const said = `${countedText(fixed, "item passes", "items pass")} more often, ${broken} less often, ${same} the same (exact test: p = ${pText(p)}).`;
  const rows = flips
    .slice(0, mostFlips)
    .map((flip): Cell[] => [
      { text: linkButton(visibleText(flip.item), () => on.evidence({ version: b, item: flip.item })) },
      { text: countText(flip.before), className: "number" },
      { text: countText(flip.after), className: "number" },
      { text: isValid ? `${flip.direction === "fixed" ? "▲" : "▼"} ${flipWord(flip)}` : passesText(flip) },
      { text: partingOf(flip, on) },
    ]);
  return [
    element("p", "", said),
    ...(rows.length === 0
      ? []
      : [
          tableOf(
            `Items that flipped from ${a} to ${b}`,
            ["Item", `Passes in ${a}`, `in ${b}`, "Direction", "First different action"],
            rows,
          ),
        ]),
    ...linesOf(
      flips.length > mostFlips
        ? [`${flips.length - mostFlips} more are not listed; their changes are the smallest.`]
        : [],
    ),
  ];
}

/** Of versions that are not to be trusted nothing is better or worse. */
const passesText = ({ direction }: Flip): string =>
  direction === "fixed" ? "passes more often" : "passes less often";

function partingOf({ divergence }: Flip, on: PairHandlers): Node {
  const cell = element("span", "parting");
  if (divergence === null) return cell;
  const { before, after, first } = divergence;
  const at = (turn: number | null | undefined): string =>
    turn === null || turn === undefined ? "" : ` turn ${turn + 1}`;
  const reasons: Readonly<Record<string, string>> = {
    tool: "different tool",
    args: "different arguments",
    text: "different text",
    ended: "only one ended",
  };
  cell.append(
    linkButton(`${visibleText(`${before.run}/${before.id}`)}${at(first?.a)}`, () =>
      on.rollout(atTurn(before, first?.a)),
    ),
    " · ",
    linkButton(`${visibleText(`${after.run}/${after.id}`)}${at(first?.b)}`, () =>
      on.rollout(atTurn(after, first?.b)),
    ),
    ` (${first === null ? "none found" : (reasons[first.reason] ?? first.reason)}) `,
    linkButton("Compare", () => on.rollouts(before, after)),
  );
  return cell;
}

const atTurn = (rollout: Rollout, turn: number | null | undefined): Rollout & { turn?: number } =>
  turn === null || turn === undefined ? rollout : { ...rollout, turn };

const countText = ({ pass, fail, unknown }: Flip["before"]): string =>
  `${pass}/${pass + fail}${unknown === 0 ? "" : ` +${unknown}?`}`;

/** What was foreseen of a version, and what came of it. */
export function predictionsOf({ versions }: Predictions, { a, b: name }: Pair): Node[] {
  const found = versions.find(({ version }) => version === name);
  if (!found) return [element("p", "quiet", `Nothing was predicted for ${visibleText(name)}.`)];
  const unforeseen = unforeseenOf(found);
  const rows = [
    ...found.fixes.map(({ label, result }): Cell[] => [
      visibleText(label),
      "becomes rarer",
      foreseenCell(result, "fix"),
    ]),
    ...found.risks.map(({ label, result }): Cell[] => [
      visibleText(label),
      "may become more frequent",
      foreseenCell(result, "risk"),
    ]),
    ...unforeseen.fixes.map((label): Cell[] => [visibleText(label), "not predicted", "became rarer"]),
    ...unforeseen.risks.map((label): Cell[] => [visibleText(label), "not predicted", "became more frequent"]),
  ];
  const said = `By ${visibleText(found.proposer)}, against ${visibleText(found.parent)}${found.measured ? "" : `; ${visibleText(unmeasuredText(found))}`}.${found.parent === a ? "" : ` The rest of this page compares with ${visibleText(a)}.`}`;
  return [
    element("p", "", said),
    ...(rows.length === 0
      ? [element("p", "quiet", "No label was predicted to change.")]
      : [tableOf(`Predicted for ${name}`, ["Label", "Predicted", "Found"], rows)]),
  ];
}

function foldOf(title: string, content: HTMLElement): HTMLElement {
  const fold = element("details", "fold");
  fold.append(element("summary", "", title), content);
  return fold;
}

const linesOf = (lines: readonly string[]): Node[] =>
  lines.map((line) => element("p", "note quiet", visibleText(line)));

export const flowTexts: Readonly<Record<(typeof flowKinds)[number], string>> = {
  outcome: "by outcome",
  stop: "by stop reason",
  label: "by label",
};
