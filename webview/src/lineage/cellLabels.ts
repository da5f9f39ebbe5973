import { foldedLabels } from "../../../shared/model/foldedLabels.ts";
import { labelsFound } from "../../../shared/model/labelShare.ts";
import type { LineageVersion } from "../../../shared/protocol/views/lineage.ts";

type Label = LineageVersion["labels"][number];
export type CellLabel = Pick<Label, "name" | "alert"> & { readonly rate: number; readonly decided: boolean };

const rank = { critical: 0, warning: 1 } as const;
const order = (alert: Label["alert"]): number => (alert === null ? 2 : rank[alert]);

/**
 * The labels of a version in the order of what a narrow cell shows: what decided it, whatever that is folded under, then what
 * set off an alert, then the most frequent. A label that decided gives its name to those on the same rollouts.
 */
export function cellLabels({ labels }: Pick<LineageVersion, "labels">): CellLabel[] {
  const found = labelsFound(labels);
  const decided = new Map(found.filter((label) => label.decided).map((label) => [label.name, label]));
  return foldedLabels(found)
    .map(({ label, also }): CellLabel => {
      const deciding = [label.name, ...also]
        .map((name) => decided.get(name))
        .find((one) => one !== undefined);
      const { name, rate, alert } = deciding ?? label;
      return { name, rate, alert, decided: deciding !== undefined };
    })
    .sort(
      (a, b) => Number(b.decided) - Number(a.decided) || order(a.alert) - order(b.alert) || b.rate - a.rate,
    );
}
