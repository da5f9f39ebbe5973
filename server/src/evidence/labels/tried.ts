import { HarnessError } from "../../base/errors.ts";
import type { Store } from "../store/database.ts";
import { makeBinder, type SqlFragment } from "../store/sql.ts";
import { labelKeys, type LabelKey } from "./labelKeys.ts";
import { numberOf } from "../store/rows.ts";
import { scopeCondition, type EvidenceScope } from "../store/split.ts";
import { TableBuffer } from "../store/tableBuffer.ts";

/** A program that labels rollouts: its label, the revision of the diagnostic, and a hash of its own files. */
export interface TriedBy extends LabelKey {
  readonly program: string;
}

/** What it said of one rollout. */
export interface TriedRollout {
  readonly rid: number;
  /** Null where it could not say. */
  readonly verdict: boolean | null;
  /** The turns that show the label. */
  readonly turns: readonly number[];
}

/**
 * Rollouts of a scope that this program has not been tried on, in the order of arrival; with `needsText` without those whose
 * text was dropped from the archive.
 */
export async function untriedRollouts(
  store: Store,
  by: TriedBy,
  of: { readonly scope: EvidenceScope; readonly needsText: boolean },
): Promise<number[]> {
  const scope = scopeCondition(of.scope);
  const rows = await store.query({
    sql: `SELECT r.rid FROM rollouts r
          WHERE ${scope.sql} AND r.rid NOT IN (SELECT rid FROM tried WHERE label = ? AND revision = ? AND program = ?)
          ${of.needsText ? `AND ${hasText}` : ""} ORDER BY r.rid`,
    params: [...scope.params, by.label, by.revision, by.program],
  });
  return rows.map((row) => numberOf(row, "rid"));
}

/** Whether the text of a rollout `r` is in the archive: it can be dropped from those of training. */
export const hasText = `(r.split <> 'train' OR r.rid NOT IN (SELECT rid FROM turns WHERE "text" IS NULL))`;

/** Rollouts of a scope that a program was tried on, in this revision of its diagnostic. */
export async function countTried(store: Store, by: LabelKey, of: EvidenceScope): Promise<number> {
  const scope = scopeCondition(of);
  const [row = {}] = await store.query({
    sql: `SELECT count(*) AS n FROM rollouts r
          WHERE ${scope.sql} AND r.rid IN (SELECT rid FROM tried WHERE label = ? AND revision = ?)`,
    params: [...scope.params, by.label, by.revision],
  });
  return numberOf(row, "n");
}

/** Keeps what a program said, and its labels, in place of what it said of the same rollouts before. */
export async function writeTried(store: Store, by: TriedBy, found: readonly TriedRollout[]): Promise<void> {
  if (found.length === 0) return;
  const bind = makeBinder(store.duckdb);
  const tried = await TableBuffer.open(store, "tried");
  const labels = await TableBuffer.open(store, "labelled");
  await store.write(async (connection) => {
    const keys = await labelKeys(store, connection, [by]);
    const rids = found.map(({ rid }) => BigInt(rid));
    for (const { sql, params } of [
      { sql: "DELETE FROM tried WHERE label = ? AND rid IN (SELECT unnest(?))", params: [by.label, rids] },
      {
        sql: `DELETE FROM labelled WHERE key IN (${keys.all.join(", ")}) AND rid IN (SELECT unnest(?))`,
        params: [rids],
      },
    ]) {
      const { values, types } = bind(params);
      await connection.run(sql, values, types);
    }
    for (const { rid, verdict, turns } of found) {
      tried.add([BigInt(rid), by.label, by.revision, by.program, verdict]);
      if (verdict === true) labels.add([BigInt(rid), keys.of(by), store.duckdb.listValue(turns.map(BigInt))]);
    }
    await tried.appendTo(connection);
    await labels.appendTo(connection);
  });
}

/**
 * A condition over `rollouts r` that a program decided; NULL where it was not tried in this revision, or could not say. It
 * has no parameters, so that it can stand wherever a compiled condition does.
 */
export function triedCondition({ label, revision }: LabelKey): SqlFragment["sql"] {
  if (![label, revision].every((text) => /^[\w-]+$/.test(text)))
    throw new HarnessError("badInput", `${label} is not the name of a label.`);
  const of = `SELECT rid FROM tried WHERE label = '${label}' AND revision = '${revision}'`;
  return `CASE WHEN r.rid IN (${of} AND verdict) THEN TRUE WHEN r.rid IN (${of} AND NOT verdict) THEN FALSE END`;
}
