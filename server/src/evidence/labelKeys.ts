import type { DuckDBConnection } from "@duckdb/node-api";
import { numberOf, stringOf } from "./rows.ts";

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

/** The numbers of labels, within a transaction that writes: what has none gets one. */
export async function labelKeys(
  connection: DuckDBConnection,
  labels: readonly LabelKey[],
): Promise<StoredKeys> {
  const rows = await connection.runAndReadAll("SELECT label, revision, key FROM label_keys");
  const names = new Set(labels.map(({ label }) => label));
  const keys = new Map<string, bigint>();
  const all: bigint[] = [];
  let next = 0n;
  for (const row of rows.getRowObjectsJS()) {
    const [label, key] = [stringOf(row, "label"), BigInt(numberOf(row, "key"))];
    keys.set(textOf({ label, revision: stringOf(row, "revision") }), key);
    if (names.has(label)) all.push(key);
    if (key >= next) next = key + 1n;
  }
  for (const { label, revision } of labels) {
    const text = textOf({ label, revision });
    if (keys.has(text)) continue;
    await connection.run("INSERT INTO label_keys VALUES (?, ?, ?)", [next, label, revision]);
    keys.set(text, next);
    all.push(next++);
  }
  return {
    all,
    of: (label) => {
      const key = keys.get(textOf(label));
      if (key === undefined) throw new Error(`The label ${label.label} was not asked for.`);
      return key;
    },
  };
}

const textOf = ({ label, revision }: LabelKey): string => `${label}\n${revision}`;
