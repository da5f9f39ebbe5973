import type { Store } from "../store/database.ts";
import { stringOf } from "../store/rows.ts";
import type { Identities } from "./identities.ts";
import type { KnownIds } from "./knownIds.ts";
import { keyOf, usedIds } from "./usedIds.ts";
import { duplicateReason } from "../contract/validateFile.ts";

/** Lines whose id their run already has, in the archive or earlier in the batch, with the reason. */
export async function reusedIds(
  store: Store,
  known: KnownIds,
  identities: Identities,
): Promise<ReadonlyMap<number, string>> {
  let certain = true;
  const { runs } = identities;
  const unknown = [...runs].filter((run) => known.isWhole(run) === undefined);
  const filled = await filledOf(store, unknown);
  for (const run of unknown) known.begin(run, !filled.has(run));
  // Each one is taken in, also after the first that is in doubt.
  identities.each((run, bytes, start, end) => {
    if (known.add(run, bytes, start, end)) certain = false;
  });
  // Asked for at the end: too many ids make it forget all of them on the way.
  for (const run of runs) if (known.isWhole(run) !== true) certain = false;
  return certain ? new Map() : lookUp(store, identities);
}

/** Those of the runs that the archive has rollouts of. */
async function filledOf(store: Store, runs: readonly string[]): Promise<ReadonlySet<string>> {
  const [only] = runs;
  if (only === undefined) return new Set();
  if (runs.length === 1) {
    const rows = await store.query({ sql: "SELECT 1 FROM rollouts WHERE run = ? LIMIT 1", params: [only] });
    return new Set(rows.length === 0 ? [] : [only]);
  }
  const rows = await store.query({
    sql: `SELECT DISTINCT run FROM rollouts WHERE run IN (SELECT unnest(from_json(?, '["VARCHAR"]')))`,
    params: [JSON.stringify(runs)],
  });
  return new Set(rows.map((row) => stringOf(row, "run")));
}

async function lookUp(store: Store, identities: Identities): Promise<ReadonlyMap<number, string>> {
  const refusals = new Map<number, string>();
  const all = Array.from({ length: identities.length }, (_, i) => ({
    line: identities.line(i),
    run: identities.run(i),
    id: identities.id(i),
  }));
  const used = await usedIds(store, all);
  for (const { line, run, id } of all) {
    const key = keyOf({ run, id });
    if (used.has(key)) refusals.set(line, duplicateReason(id, run));
    used.add(key);
  }
  return refusals;
}
