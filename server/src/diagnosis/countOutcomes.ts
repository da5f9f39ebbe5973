import { countByItem } from "../evidence/queries/query.ts";
import type { RolloutFilter } from "../evidence/queries/rolloutFilter.ts";
import type { Store } from "../evidence/archive/store.ts";
import type { ItemOutcomes } from "../statistics/scores/outcomes.ts";

/** Outcomes per item over all samples and seeds. Rollouts with one of the labels in `failing` count as failures. */
export async function itemOutcomes(
  store: Store,
  filter: RolloutFilter,
  failing: ReadonlySet<string> = new Set(),
): Promise<ItemOutcomes[]> {
  const items = new Map<string, { item: string; pass: number; fail: number; unknown: number }>();
  for (const { item, outcome, rollouts } of await countByItem(store, filter, [...failing])) {
    const tally = items.get(item) ?? { item, pass: 0, fail: 0, unknown: 0 };
    tally[outcome] += rollouts;
    items.set(item, tally);
  }
  return [...items.values()];
}
