import { HarnessError } from "../../base/errors.ts";
import type { Store } from "../store/database.ts";
import { makeBinder } from "../store/sql.ts";
import { labelKeys, type LabelKey } from "./labelKeys.ts";
import { stringOf } from "../store/rows.ts";
import { TableBuffer } from "../store/tableBuffer.ts";

export interface WrittenLabel {
  readonly run: string;
  readonly id: string;
  readonly turns: readonly number[];
}

/**
 * Stores labels that were computed outside the database (an analyzer, a judge), replacing what this label had on the
 * same rollouts.
 * @throws HarnessError notFound when a rollout is not in the archive; nothing is written then
 */
export async function writeLabels(
  store: Store,
  key: LabelKey & { readonly labels: readonly WrittenLabel[] },
): Promise<number> {
  const bind = makeBinder(store.duckdb);
  if (key.labels.length === 0) return 0;
  const table = await TableBuffer.open(store, "labelled");
  return store.write(async (connection) => {
    const { values, types } = bind([key.labels.map((l) => l.run), key.labels.map((l) => l.id)]);
    const found = await connection.runAndReadAll(
      `SELECT r.rid, r.run, r.id FROM rollouts r
       JOIN (SELECT DISTINCT run, id FROM (SELECT unnest(?) AS run, unnest(?) AS id)) w USING (run, id)`,
      values,
      types,
    );
    const rids = new Map(
      found
        .getRowObjectsJS()
        .map((row) => [rolloutKey(stringOf(row, "run"), stringOf(row, "id")), row["rid"]]),
    );
    const byRid = new Map<bigint, readonly number[]>();
    for (const { run, id, turns } of key.labels) {
      const rid = rids.get(rolloutKey(run, id));
      if (typeof rid !== "bigint")
        throw new HarnessError("notFound", `There is no rollout ${run}/${id} in the archive to label.`);
      byRid.set(rid, turns);
    }
    const keys = await labelKeys(store, connection, [key]);
    const old = bind([[...byRid.keys()]]);
    await connection.run(
      `DELETE FROM labelled WHERE key IN (${keys.all.join(", ")}) AND rid IN (SELECT unnest(?))`,
      old.values,
      old.types,
    );
    for (const [rid, turns] of byRid)
      table.add([rid, keys.of(key), store.duckdb.listValue(turns.map(BigInt))]);
    await table.appendTo(connection);
    return byRid.size;
  });
}

const rolloutKey = (run: string, id: string): string => `${run}\n${id}`;
