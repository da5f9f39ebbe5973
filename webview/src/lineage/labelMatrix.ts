import { isTrusted } from "../../../shared/model/isTrusted.ts";
import type { LineageVersion } from "../../../shared/protocol/views/lineage.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import type { LabelByPeople } from "../../../shared/protocol/results/people.ts";
import { peopleSaid } from "../../../shared/words/people.ts";
import { decisionText } from "../../../shared/words/stages.ts";
import { percentText } from "../shared/numbers.ts";
import { visibleLine } from "../shared/visibleText.ts";
import type { MatrixColumn, MatrixModel } from "./matrix.ts";

/** More versions than anybody compares in one table. */
export const mostColumns = 60;

type Label = LineageVersion["labels"][number];
type LabelRow = {
  readonly name: string;
  /** Labels that are on the same rollouts, or on nearly the same, in every one of these versions. */
  readonly same: readonly string[];
  readonly isOfGroups: boolean;
};
export type LabelMatrix = {
  readonly versions: readonly string[];
  readonly labels: readonly LabelRow[];
  /** Versions before these that are left out. */
  readonly older: number;
  /** What people said of these labels. */
  readonly people: readonly LabelByPeople[];
  readonly model: MatrixModel;
};

export const columnOf = (table: LineageTable, i: number): MatrixColumn => {
  const decision = table.decisionOf(i);
  const name = visibleLine(table.name[i] ?? "");
  return {
    name,
    title: [name, decisionText(table.stagedOf(i), "became"), visibleLine(table.title[i] ?? "")].join(" · "),
    isVoid: !isTrusted({ decision }),
  };
};

/** How often each label holds in each version, the oldest of them first; labels that set off an alert come first. */
export function labelMatrix(
  table: LineageTable,
  shown: readonly number[],
  people: readonly LabelByPeople[],
): LabelMatrix {
  const measured = shown.filter((i) => (table.labels[i] ?? []).length > 0).sort((a, b) => a - b);
  const indices = measured.slice(-mostColumns);
  const byColumn = indices.map((i) => new Map((table.labels[i] ?? []).map((label) => [label.name, label])));
  const labels = rowsOf(byColumn);
  const columns = indices.map((i) => columnOf(table, i));
  return {
    versions: indices.map((i) => table.name[i] ?? ""),
    labels,
    older: measured.length - indices.length,
    people: labels.flatMap((row) => saidOf(row, people)),
    model: {
      label: "Share of the rollouts with each label, by version",
      strikes: false,
      corner: "Label",
      columns,
      rows: labels.length,
      rowName: (row) => nameOf(labels[row], people),
      cell: (row, column) => {
        const of = byColumn[column];
        const label = of?.get(labels[row]?.name ?? "");
        if (label === undefined) return null;
        const same = (labels[row]?.same ?? []).flatMap((name) => of?.get(name) ?? []);
        return cellOf(label, same, columns[column]?.name ?? "");
      },
      isMarked: () => false,
    },
  };
}

/** A row has the worst mark of the labels that it stands for: what a version was rejected for is not hidden behind another name. */
function cellOf(label: Label, same: readonly Label[], version: string): ReturnType<MatrixModel["cell"]> {
  const { name, rate, over } = label;
  const of = over === "group" ? "groups" : "rollouts";
  const said = `${visibleLine(name)} in ${version}`;
  if (rate === null) return { text: "?", title: `${said}: the evidence does not say`, share: 0 };
  const all = [label, ...same];
  const worst = Math.max(...all.map(rankOf));
  const notes = all.flatMap((one) => {
    const whose = one === label ? "" : `${visibleLine(one.name)} `;
    return [
      ...(one.alert === null ? [] : [`${whose}over its ${one.alert} threshold`]),
      ...(one.decided ? [`not kept because of ${visibleLine(one.name)}`] : []),
    ];
  });
  return {
    text: percentText(rate),
    title: [`${said}: ${percentText(rate)} of its ${of}`, ...notes].join(", "),
    share: rate,
    ...(worst === 0 ? {} : { sign: worst === 2 ? "‼" : "△" }),
  };
}

/** What was decided by weighs as much as a critical alert, which a version's passes may have refuted. */
const rankOf = ({ alert, decided }: Label): number =>
  alert === "critical" || decided === true ? 2 : alert === "warning" ? 1 : 0;

/** What people said of a row's label, and of those that are on the same rollouts. */
const saidOf = ({ name, same }: LabelRow, people: readonly LabelByPeople[]): LabelByPeople[] =>
  [name, ...same].flatMap((label) => people.filter((one) => one.label === label));

function nameOf(
  row: LabelRow | undefined,
  people: readonly LabelByPeople[],
): ReturnType<MatrixModel["rowName"]> {
  if (row === undefined) return { text: "", aside: "", title: "" };
  const name = visibleLine(row.name);
  const same = row.same.map((label) => visibleLine(label)).join(", ");
  return {
    text: name,
    aside: row.same.length === 0 ? (row.isOfGroups ? "groups" : "") : `+${row.same.length}`,
    title: [
      name,
      row.isOfGroups ? "a share of groups" : "",
      row.same.length === 0 ? "" : `on the same rollouts, or nearly: ${same}`,
      ...peopleSaid(saidOf(row, people)),
    ]
      .filter((part) => part !== "")
      .join(" · "),
  };
}

function rowsOf(byColumn: readonly ReadonlyMap<string, Label>[]): LabelRow[] {
  const found = new Map<
    string,
    { most: number; least: number; alert: number; under: Set<string>; groups: boolean }
  >();
  for (const labels of byColumn)
    for (const label of labels.values()) {
      const { name, rate, under, over } = label;
      const known = found.get(name) ?? {
        most: 0,
        least: 1,
        alert: 0,
        under: new Set<string>(),
        groups: false,
      };
      found.set(name, known);
      known.most = Math.max(known.most, rate ?? 0);
      known.least = Math.min(known.least, rate ?? 0);
      known.alert = Math.max(known.alert, rankOf(label));
      known.groups ||= over === "group";
      // Where it is nowhere it coincides with nothing.
      if (rate !== null && rate > 0) known.under.add(under ?? "");
    }
  const shown = [...found].filter(([, { most }]) => most > 0);
  const hostOf = ([, { under }]: (typeof shown)[number]): string | undefined => {
    const [only] = under;
    return under.size === 1 && only !== undefined && only !== "" && found.has(only) ? only : undefined;
  };
  // A row is as grave as the gravest label that it stands for.
  for (const entry of shown) {
    const host = found.get(hostOf(entry) ?? "");
    if (host !== undefined) host.alert = Math.max(host.alert, entry[1].alert);
  }
  return shown
    .filter((entry) => hostOf(entry) === undefined)
    .sort(
      ([a, x], [b, y]) =>
        y.alert - x.alert || y.most - y.least - (x.most - x.least) || y.most - x.most || (a < b ? -1 : 1),
    )
    .map(([name, { groups }]) => ({
      name,
      isOfGroups: groups,
      same: shown.filter((entry) => hostOf(entry) === name).map(([other]) => other),
    }));
}
