import { byAlert } from "../../../shared/model/alertOrder.ts";
import { foldedLabels } from "../../../shared/model/foldedLabels.ts";
import { labelsFound } from "../../../shared/model/labelShare.ts";
import type { LineageVersion } from "../../../shared/protocol/views/lineage.ts";

type Label = LineageVersion["labels"][number];
export type CellLabel = Pick<Label, "name" | "alert" | "over"> & {
  readonly rate: number;
  readonly decided: boolean;
};

/**
 * The labels of a version in the order of what a narrow cell shows: what decided it, whatever that is folded under, then as
 * `byAlert` says. A label that decided gives its name to those on the same rollouts.
 */
export function cellLabels({ labels }: Pick<LineageVersion, "labels">): CellLabel[] {
  const found = labelsFound(labels);
  const decided = new Map(found.filter((label) => label.decided).map((label) => [label.name, label]));
  return foldedLabels(found)
    .map(({ label, also }): CellLabel => {
      const deciding = [label.name, ...also]
        .map((name) => decided.get(name))
        .find((one) => one !== undefined);
      const { name, rate, alert, over } = deciding ?? label;
      return { name, rate, alert, over, decided: deciding !== undefined };
    })
    .sort((a, b) => Number(b.decided) - Number(a.decided) || byAlert(a, b));
}
