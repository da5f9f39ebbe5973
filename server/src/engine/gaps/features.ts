import type { Store } from "../../evidence/archive/store.ts";
import { wholeRollouts } from "../../evidence/queries/wholeRollouts.ts";
import type { EvidenceScope } from "../../evidence/store/split.ts";
import { FeatureTable } from "../../gaps/featureTable.ts";
import type { GapRollout } from "./gapEvidence.ts";

/** Rollouts that are read in one go. */
const readAtOnce = 1000;

/** The features of some of the rollouts, those of the first scope before those of the second. */
export async function readFeatures(
  store: Store,
  {
    scopes,
    rollouts,
    onRollouts,
  }: {
    readonly scopes: readonly EvidenceScope[];
    readonly rollouts: readonly GapRollout[];
    readonly onRollouts: (done: number, total: number) => void;
  },
  places: readonly number[],
): Promise<FeatureTable> {
  const table = new FeatureTable();
  for (const [i, scope] of scopes.entries()) {
    const rids = places.flatMap((at) => (rollouts[at]?.own === (i === 0) ? [rollouts[at].rid] : []));
    for (let from = 0; from < rids.length; from += readAtOnce) {
      onRollouts(table.size, places.length);
      for await (const { rollout } of wholeRollouts(store, {
        scope,
        rids: rids.slice(from, from + readAtOnce),
      }))
        table.add(rollout);
    }
  }
  return table;
}
