import type { Identity } from "./batch.ts";
import type { Store } from "./database.ts";
import type { KnownIds } from "./knownIds.ts";
import { keyOf, usedIds } from "./usedIds.ts";
import { duplicateReason } from "./validateFile.ts";

/** Lines whose id their run already has, in the archive or earlier in the batch, with the reason. */
export async function reusedIds(
  store: Store,
  known: KnownIds,
  identities: readonly Identity[],
): Promise<ReadonlyMap<number, string>> {
  for (const run of new Set(identities.map((i) => i.run)))
    if (known.isWhole(run) === undefined) known.begin(run, await isEmpty(store, run));
  let certain = true;
  // Each one is taken in, also after the first that is in doubt.
  for (const { run, id } of identities)
    if (known.add(run, id) || known.isWhole(run) !== true) certain = false;
  return certain ? new Map() : lookUp(store, identities);
}

async function isEmpty(store: Store, run: string): Promise<boolean> {
  const rows = await store.query({ sql: "SELECT 1 FROM rollouts WHERE run = ? LIMIT 1", params: [run] });
  return rows.length === 0;
}

async function lookUp(store: Store, identities: readonly Identity[]): Promise<ReadonlyMap<number, string>> {
  const refusals = new Map<number, string>();
  const used = await usedIds(store, identities);
  for (const { line, run, id } of identities) {
    const key = keyOf({ run, id });
    if (used.has(key)) refusals.set(line, duplicateReason(id, run));
    used.add(key);
  }
  return refusals;
}
