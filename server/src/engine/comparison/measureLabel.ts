import { isTold } from "../../../../shared/model/labelShare.ts";
import { percent } from "../../../../shared/words/numbers.ts";
import { fatesOf, itemLabels, type ItemLabels } from "../../changes/fates.ts";
import { labelShifts, type LabelItems } from "../../changes/labelShift.ts";
import { labelledGroupsByItem } from "../../diagnosis/groups.ts";
import { signalScope } from "../../diagnosis/versionFacts.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { fewestItems } from "../../statistics/intervals/itemInterval.ts";
import { clusteredShare, wilson } from "../../statistics/intervals/proportions.ts";
import type { UsableDiagnostics } from "../project/usableDiagnostics.ts";
import { tooFew, type Measured } from "./measure.ts";

interface Versions {
  readonly a: string;
  readonly b: string;
}

/** How often a label holds of the rollouts, or of the groups, that `diagnose` counts; undefined for one that nothing measures. */
export async function measuredLabel(
  store: Store,
  label: string,
  versions: Versions,
  diagnostics: UsableDiagnostics,
): Promise<Measured | undefined> {
  const counted = await countedByItem(store, label, versions, diagnostics);
  if (counted === undefined) return undefined;
  const { items, what } = counted;
  const [shift] = labelShifts([items]);
  if (shift === undefined) return undefined;
  const share = clusteredShare(items.b ?? []);
  const few = Math.min(shift.a.items, shift.b.items) < fewestItems;
  const { low, high } = shift;
  const untold = (["a", "b"] as const).find((side) => !isTold(shift[side]));
  const because =
    low === null
      ? `nothing in ${shift.a.decided === 0 ? versions.a : versions.b} says whether ${label} holds`
      : untold !== undefined
        ? `only ${percent(shift[untold].coverage)} of the ${what}s of ${versions[untold]} say whether ${label} holds`
        : few
          ? tooFew(shift.commonItems)
          : null;
  return {
    unit: "share",
    better: "lower",
    a: shift.a.rate,
    b: shift.b.rate,
    difference: shift.difference,
    interval: because !== null || low === null || high === null ? null : { low, high },
    ofB: share === null || !isTold(shift.b) ? null : wilson(share),
    method: shift.method,
    items: shift.commonItems,
    outer:
      shift.a.undecided + shift.b.undecided > 0 && low !== null && high !== null
        ? [
            Math.min(low, shift.b.bounds[0] - shift.a.bounds[1]),
            Math.max(high, shift.b.bounds[1] - shift.a.bounds[0]),
          ]
        : null,
    because,
  };
}

async function countedByItem(
  store: Store,
  label: string,
  versions: Versions,
  { diagnostics, overGroups }: UsableDiagnostics,
): Promise<{ readonly items: LabelItems; readonly what: "rollout" | "group" } | undefined> {
  const scope = { split: "selection" } as const;
  const spec = overGroups.find((d) => d.name === label);
  if (spec !== undefined) {
    const of = async (version: string): Promise<ItemLabels[]> =>
      labelledGroupsByItem(store, spec, await signalScope(store, { version, scope }));
    return { items: { label, a: await of(versions.a), b: await of(versions.b) }, what: "group" };
  }
  const used = diagnostics.filter((d) => d.name === label);
  const before = await fatesOf(store, { ...scope, version: versions.a }, used);
  const after = await fatesOf(store, { ...scope, version: versions.b }, used);
  const items = { label, a: itemLabels(before, label), b: itemLabels(after, label) };
  return items.a === null && items.b === null ? undefined : { items, what: "rollout" };
}
