import {
  counted,
  percent,
  plural,
  points,
  pointsInterval,
  pValue,
} from "../../../../shared/words/numbers.ts";
import { withAlso } from "../../../../shared/model/foldedLabels.ts";
import { peopleSaid } from "../../../../shared/words/people.ts";
import { shiftsToShow } from "../../../../shared/model/labelShifts.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import type { FlowMatrix } from "../../changes/flow.ts";
import type { LabelRate, LabelShift } from "../../changes/labelShift.ts";
import { paint, type Io } from "../terminal/io.ts";
import { table, wrap } from "../terminal/table.ts";

/** The flow matrices of two versions: rows are the first one's classes, columns the second one's. */
export function renderFlow(io: Io, flow: ResultOf<"versions.flow">): string {
  const { a, b, split, items, rollouts, itemsOnlyIn, unpaired, notes } = flow;
  const heading = (text: string): string => paint(io, "bold", text);
  const left = (n: { a: number; b: number }, what: string): string[] =>
    n.a + n.b === 0 ? [] : [`${what}: ${n.a} of ${a}, ${n.b} of ${b}.`];
  return [
    heading(`From ${a} (rows) to ${b} (columns), ${split} split`),
    ...(items.total === 0 ? [] : ["", `Items: ${items.total}`, matrix(io, items)]),
    ...left(itemsOnlyIn, "Items missing from the other version"),
    ...(rollouts === null ? [] : ["", `Rollouts: ${rollouts.total}`, matrix(io, rollouts)]),
    ...left(unpaired, "Rollouts that could not be paired"),
    ...(notes.length === 0 ? [] : ["", ...notes.map((n) => wrap(n, io.columns))]),
  ].join("\n");
}

function matrix(io: Io, { classes, counts, before, after, total }: FlowMatrix): string {
  return table(
    [
      ["", ...classes, "all"],
      ...counts.map((row, i) => [
        classes[i] ?? "",
        ...row.map((n) => (n === 0 ? "·" : `${n}`)),
        `${before[i] ?? 0}`,
      ]),
      ["all", ...after.map(String), `${total}`],
    ],
    Array.from({ length: classes.length + 1 }, (_, i) => i + 1),
    io,
  );
}

/**
 * The label shift table, changes first, each with what people say of the label; labels that no rollout of either version
 * carries are counted.
 */
export function renderLabels(
  io: Io,
  result: ResultOf<"versions.labels"> & ResultOf<"rollouts.people">,
): string {
  const { a, b, split, shifts, notes, people } = result;
  const { shown, also, never } = shiftsToShow(shifts);
  const methods = [...new Set(shown.flatMap((s) => (s.method === null ? [] : [s.method])))];
  return [
    paint(io, "bold", `Labels from ${a} to ${b}, ${split} split`),
    ...(shown.length === 0
      ? []
      : [
          table(
            [
              ["label", a, b, "change", "95 % interval", "p", "Holm", ""],
              ...shown.map((s) => [
                withAlso(s.label, also(s.label)),
                rate(s.a),
                rate(s.b),
                s.difference === null ? "–" : points(s.difference),
                s.low === null || s.high === null ? "–" : pointsInterval(s.low, s.high),
                s.p === null ? "–" : pValue(s.p),
                s.adjusted === null ? "–" : pValue(s.adjusted),
                s.says,
              ]),
            ],
            [1, 2, 3, 4, 5, 6],
            io,
          ),
          ...peopleSaid(shown.flatMap((s) => people.filter(({ label }) => label === s.label))),
          ...commonLine(shown),
          ...(methods.length === 0 ? [] : [`Intervals: ${methods.join("; ")}.`]),
        ]),
    ...(never === 0 ? [] : [neverSeen(never, shown.length > 0)]),
    ...notes.map((n) => wrap(n, io.columns)),
  ].join("\n");
}

/** What a change is over, where that is less than what the columns beside it count. */
function commonLine(shown: readonly LabelShift[]): string[] {
  const fewer = shown.find(
    ({ method, commonItems, a, b }) =>
      method === "paired bootstrap over items" && commonItems < Math.max(a.items, b.items),
  );
  if (fewer === undefined) return [];
  return [
    `A change and its interval are over the ${counted(fewer.commonItems, "item")} that both versions have; the columns before them count all ${fewer.a.items} and ${fewer.b.items} items.`,
  ];
}

const rate = ({ rate: r, labelled, decided, undecided }: LabelRate): string =>
  r === null
    ? "–"
    : `${percent(r)} (${labelled}/${decided}${undecided === 0 ? "" : `, ${undecided} undecided`})`;

function neverSeen(count: number, isRest: boolean): string {
  const labels = `${count}${isRest ? " other" : ""} ${plural(count, "label is", "labels are")}`;
  return `${labels} on no rollout of either version; --json has their bounds.`;
}
