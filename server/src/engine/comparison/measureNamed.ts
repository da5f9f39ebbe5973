import type { Store } from "../../evidence/archive/store.ts";
import { metricNamed } from "../../statistics/scores/metric.ts";
import type { Aggregator } from "../../statistics/scores/outcomes.ts";
import type { UsableDiagnostics } from "../project/usableDiagnostics.ts";
import type { Evaluated } from "./chosen.ts";
import { isColumn, measuredMean, measuredScore, type Measured } from "./measure.ts";
import { measuredLabel } from "./measureLabel.ts";

/** Two versions whose rollouts are at hand. */
export interface ComparedPair {
  readonly store: Store;
  readonly a: Evaluated;
  readonly b: Evaluated;
  readonly aggregator: Aggregator;
}

/**
 * A quantity of two versions by its name: a score, a mean over rollouts, or how often a label holds; undefined where nothing
 * measures it item by item. `usable` is asked only for labels.
 */
export async function measureNamed(
  { store, a, b, aggregator }: ComparedPair,
  metric: string,
  usable: () => UsableDiagnostics | Promise<UsableDiagnostics>,
): Promise<Measured | undefined> {
  const named = metricNamed(metric, aggregator);
  if (named !== undefined) return measuredScore(named, a, b);
  const versions = { a: a.name, b: b.name };
  if (isColumn(metric)) return measuredMean(store, metric, versions);
  return measuredLabel(store, metric, versions, await usable());
}
