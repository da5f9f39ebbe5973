import type { DuckDBConnection } from "@duckdb/node-api";
import type { Store } from "../store/database.ts";
import { numberOf, stringOf } from "../store/rows.ts";

/** A label and the revision of the diagnostic that sets it: a hash, so that an edited diagnostic labels anew. */
export interface LabelKey {
  readonly label: string;
  readonly revision: string;
}

export interface StoredKeys {
  /** The number under which one of the labels is stored. */
  readonly of: (label: LabelKey) => bigint;
  /** Those of the same labels in any revision, for what is replaced. */
  readonly all: readonly bigint[];
}

interface Row extends LabelKey {
  readonly key: bigint;
}

/** The numbers as the archive of a store has them; forgotten when one is added, which may yet be rolled back. */
const stored = new WeakMap<Store, readonly Row[]>();

/** The numbers of labels, within a transaction that writes, which asks once: what has none gets one. */
export async function labelKeys(
  store: Store,
  connection: DuckDBConnection,
  labels: readonly LabelKey[],
): Promise<StoredKeys> {
  const rows = [...(stored.get(store) ?? (await readKeys(connection)))];
  stored.set(store, rows);
  const keys = new Map(rows.map((row) => [textOf(row), row.key]));
  let next = rows.reduce((most, { key }) => (key >= most ? key + 1n : most), 0n);
  for (const { label, revision } of labels) {
    if (keys.has(textOf({ label, revision }))) continue;
    stored.delete(store);
    await connection.run("INSERT INTO label_keys VALUES (?, ?, ?)", [next, label, revision]);
    keys.set(textOf({ label, revision }), next);
    rows.push({ label, revision, key: next++ });
  }
  const names = new Set(labels.map(({ label }) => label));
  return {
    all: rows.filter(({ label }) => names.has(label)).map(({ key }) => key),
    of: (label) => {
      const key = keys.get(textOf(label));
      if (key === undefined) throw new Error(`The label ${label.label} was not asked for.`);
      return key;
    },
  };
}

async function readKeys(connection: DuckDBConnection): Promise<Row[]> {
  const rows = await connection.runAndReadAll("SELECT label, revision, key FROM label_keys");
  return rows.getRowObjectsJS().map((row) => ({
    label: stringOf(row, "label"),
    revision: stringOf(row, "revision"),
    key: BigInt(numberOf(row, "key")),
  }));
}

const textOf = ({ label, revision }: LabelKey): string => `${label}\n${revision}`;
