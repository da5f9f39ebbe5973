import type { MetricNames } from "../../../../shared/spec/metricNames.ts";
import { fatesOf, tallyOf, type Fates } from "../../changes/fates.ts";
import { labelShifts, shiftsBetween, type LabelShift } from "../../changes/labelShift.ts";
import { findingKind } from "../../changes/predictions.ts";
import type { NamedChange } from "../../decision/weighHypothesis.ts";
import { labelledGroupsByItem } from "../../diagnosis/groups.ts";
import { versionConditions } from "../../diagnosis/versionConditions.ts";
import { signalScope } from "../../diagnosis/versionFacts.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { Aggregator } from "../../statistics/scores/outcomes.ts";
import type { PlaceInLineage } from "../project/placeInLineage.ts";
import type { UsableDiagnostics } from "../project/usableDiagnostics.ts";

/** A version, and its place in the lineage. */
export interface Placed extends Omit<PlaceInLineage, "parent"> {
  readonly version: string;
}

/** What a project measures a version by. */
export interface Measures {
  readonly store: Store;
  readonly aggregator: Aggregator;
  readonly usable: UsableDiagnostics;
  /** What the project calls the metrics of training. */
  readonly metricNames?: MetricNames | undefined;
}

/** What a version's rollouts carry and what holds of it; kept by who compares many. */
export interface Observed {
  readonly placed: Placed;
  readonly fates: Fates;
  readonly conditions: ReadonlyMap<string, boolean | null>;
}

/** Looks at one version for all that can be predicted of it. Stores nothing. */
export async function observe(measures: Measures, placed: Placed): Promise<Observed> {
  const { store, usable, aggregator, metricNames } = measures;
  const { version, ...place } = placed;
  const fates = await fatesOf(store, { split: "selection", version }, usable.diagnostics);
  const diagnostics = [...usable.diagnostics, ...usable.overVersions];
  const conditions = await versionConditions(store, {
    version,
    ...place,
    aggregator,
    labels: usable.diagnostics.map(({ name }) => ({ name, ...tallyOf(fates, name) })),
    diagnostics,
    metricNames,
  });
  return { placed, fates, conditions };
}

/** What every label and finding did from one version to another; null where one of the two has no rollouts. */
export async function namedChanges(
  measures: Measures,
  before: Observed,
  after: Observed,
): Promise<NamedChange[] | null> {
  if (before.fates.rollouts.length === 0 || after.fates.rollouts.length === 0) return null;
  const findings = [...new Set([...before.conditions.keys(), ...after.conditions.keys()])].sort();
  return [
    ...shiftsBetween(before.fates, after.fates).map((shift) => changeOf(shift, "rollout")),
    ...(await groupShifts(measures, before, after)).map((shift) => changeOf(shift, "group")),
    ...findings.map((label): NamedChange => {
      const kind = findingKind(before.conditions.get(label) ?? null, after.conditions.get(label) ?? null);
      return { label, kind, over: "version", from: null, to: null, low: null, high: null };
    }),
  ];
}

async function groupShifts(
  { store, usable }: Measures,
  before: Observed,
  after: Observed,
): Promise<LabelShift[]> {
  if (usable.overGroups.length === 0) return [];
  const scope = { split: "selection" } as const;
  const scopes = {
    a: await signalScope(store, { version: before.placed.version, scope }),
    b: await signalScope(store, { version: after.placed.version, scope }),
  };
  const items = [];
  for (const spec of usable.overGroups)
    items.push({
      label: spec.name,
      a: await labelledGroupsByItem(store, spec, scopes.a),
      b: await labelledGroupsByItem(store, spec, scopes.b),
    });
  return labelShifts(items);
}

function changeOf({ label, kind, a, b, low, high }: LabelShift, over: NamedChange["over"]): NamedChange {
  return { label, kind, over, from: a.rate, to: b.rate, low, high };
}
