import { withAlso } from "../../../shared/model/foldedLabels.ts";
import { isChange } from "../../../shared/model/labelShifts.ts";
import type { LabelByPeople } from "../../../shared/protocol/results/people.ts";
import type { LabelShifts } from "../../../shared/protocol/results/shift.ts";
import { element, linkButton } from "../shared/dom.ts";
import { glossaryWord } from "../shared/glossaryWord.ts";
import { countedText, percentText, pointsIntervalText, pointsText, pText } from "../shared/numbers.ts";
import { visibleText } from "../shared/visibleText.ts";
import { tableOf, type Cell } from "../shared/table.ts";
import { labelRows, type LabelRow } from "./labelRows.ts";
import { foldOf, linesOf, type Pair, type PairHandlers } from "./pair.ts";
import { aroundZero, intervalPlot, labelCellWithPeople } from "./parts.ts";
import { shiftColour, shiftVerdictElement } from "./shiftVerdict.ts";

/** What leaves the row first: the test, the numbers of the drawing, the drawing, the rates; the verdict and the change stay longest. */
const leaving = [6, 5, 4, 1, 2, 7, 3];

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
    isTrusted,
  }: {
    readonly people: readonly LabelByPeople[];
    readonly groups: readonly GroupShift[];
    /** What the version was not kept for: it comes first. */
    readonly deciding: readonly string[];
    /** Whether the numbers of both versions are to be trusted: of others nothing is better or worse. */
    readonly isTrusted: boolean;
  },
  on: PairHandlers,
): Node[] {
  const { rows: ranked, never } = labelRows(shifts, deciding);
  const domain = aroundZero(ranked.flatMap(({ shift: { low, high } }) => [low, high]));
  const rate = (
    version: string,
    label: string,
    { rate: r, labelled, decided, undecided }: LabelRow["shift"]["a"],
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
    {
      text: intervalPlot(
        domain,
        { value: s.difference, low: s.low, high: s.high },
        isTrusted ? shiftColour(s) : undefined,
      ),
    },
    {
      text: s.low === null || s.high === null ? "no interval" : pointsIntervalText(s.low, s.high),
      className: "number",
    },
    { text: s.adjusted === null ? "–" : pText(s.adjusted), className: "number" },
    { text: shiftVerdictElement(s, isTrusted) },
  ];
  const isWorthIt = ({ shift, decided }: LabelRow): boolean => decided || isChange(shift);
  const changed = [
    ...ranked
      .filter(isWorthIt)
      .map((one) => ({ by: one.decided ? 2 : (one.shift.difference ?? 0), row: rowOf(one) })),
    ...groups.filter((g) => g.a !== g.b).map((g) => ({ by: g.b - g.a, row: groupRow(g, domain) })),
  ].sort((x, y) => Math.abs(y.by) - Math.abs(x.by));
  const rest = [
    ...ranked.filter((one) => !isWorthIt(one)).map(rowOf),
    ...groups.filter((g) => g.a === g.b).map((g) => groupRow(g, domain)),
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

/** Without an interval nobody can say whether the difference is more than noise. */
const groupRow = (g: GroupShift, domain: readonly [number, number]): Cell[] => [
  `${visibleText(g.label)} (${g.of})`,
  { text: percentText(g.a), className: "number" },
  { text: percentText(g.b), className: "number" },
  { text: pointsText(g.b - g.a), className: "number" },
  { text: intervalPlot(domain, { value: g.b - g.a, low: null, high: null }) },
  { text: "no interval", className: "number" },
  { text: "–", className: "number" },
  { text: element("span", "whole", "no verdict") },
];
