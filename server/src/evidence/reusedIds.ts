import type { Identity } from "./batch.ts";
import type { Store } from "./database.ts";
import type { KnownIds } from "./knownIds.ts";
import { stringOf } from "./rows.ts";
import { duplicateReason } from "./validateFile.ts";

/** Half a surrogate pair is stored as the replacement character, and JSON of the engine refuses it. */
const wellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, "\ufffd");

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
  const seen = new Map<string, Set<string>>();
  for (const { run } of identities) if (!seen.has(run)) seen.set(run, new Set());
  const runs = [...seen.keys()];
  const [first] = runs;
  if (first === undefined) return refusals;
  const found = await store.query({
    sql: `SELECT run, id FROM rollouts
          WHERE ${runs.length === 1 ? "run = ?" : "run IN (SELECT unnest(?))"} AND id IN (SELECT unnest(from_json(?, '["VARCHAR"]')))`,
    // One text crosses into the engine far faster than a list of ids.
    params: [runs.length === 1 ? first : runs, JSON.stringify(identities.map(({ id }) => wellFormed(id)))],
  });
  for (const row of found) seen.get(stringOf(row, "run"))?.add(stringOf(row, "id"));
  for (const { line, run, id } of identities) {
    const ids = seen.get(run);
    if (ids?.has(id) === true) refusals.set(line, duplicateReason(id, run));
    ids?.add(id);
  }
  return refusals;
}
