import type { Versions } from "../store/answers.ts";
import type { Store } from "../store/database.ts";
import { makeBinder, type SqlFragment } from "../store/sql.ts";
import { tablesOfRollouts } from "../store/tables.ts";

/** A file whose rows go; `whole` when everything of it goes, with what is known of the file itself. */
export interface Concerned {
  readonly source: bigint;
  readonly path: string;
  readonly whole: boolean;
}

export interface DroppedRows {
  readonly rollouts: number;
  readonly turns: number;
  readonly metrics: number;
  readonly scores: number;
  readonly quarantined: number;
}

/** Drops what files brought into the archive; with `run`, only the rollouts of that run. */
export async function dropRows(
  store: Store,
  sources: readonly Concerned[],
  run?: string,
): Promise<DroppedRows> {
  const bind = makeBinder(store.duckdb);
  const all = `source IN (${sources.map((s) => s.source).join(", ")})`;
  const whole = sources.filter((s) => s.whole).map((s) => s.source);
  const inWhole = whole.length === 0 ? "false" : `source IN (${whole.join(", ")})`;
  const versions = await versionsIn(store, sources);
  return store.write(async (connection) => {
    const change = async ({ sql, params }: SqlFragment): Promise<number> => {
      const { values, types } = bind(params);
      return (await connection.run(sql, values, types)).rowsChanged;
    };
    await change({
      sql: `CREATE TEMP TABLE gone AS SELECT rid FROM rollouts WHERE ${all} ${run === undefined ? "" : "AND run = ?"}`,
      params: run === undefined ? [] : [run],
    });
    const byRid = (table: string): Promise<number> =>
      change({ sql: `DELETE FROM ${table} WHERE rid IN (SELECT rid FROM gone)`, params: [] });
    let turns = 0;
    for (const table of tablesOfRollouts) {
      const rows = await byRid(table);
      if (table === "turns") turns = rows;
    }
    const rollouts = await byRid("rollouts");
    const metrics = await change({ sql: `DELETE FROM metrics WHERE ${inWhole}`, params: [] });
    const scores = await change({ sql: `DELETE FROM scores WHERE ${inWhole}`, params: [] });
    const quarantined = await change({ sql: `DELETE FROM quarantine WHERE ${inWhole}`, params: [] });
    await change({ sql: `DELETE FROM sources WHERE ${inWhole}`, params: [] });
    await change({ sql: "DROP TABLE gone", params: [] });
    return { rollouts, turns, metrics, scores, quarantined };
  }, versions);
}

/** The versions that files have rows of, so that what is known of others still holds; undefined where a row names none. */
async function versionsIn(store: Store, sources: readonly Concerned[]): Promise<Versions> {
  const within = `WHERE source IN (${sources.map((s) => s.source).join(", ")})`;
  const rows = await store.query({
    sql: ["sources", "rollouts", "metrics", "scores"]
      .map((table) => `SELECT version FROM ${table} ${within}`)
      .join(" UNION "),
    params: [],
  });
  const versions = rows.map(({ version }) => version);
  return versions.every((version) => typeof version === "string") ? versions : undefined;
}
