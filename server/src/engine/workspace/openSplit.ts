import type { OpenSplit } from "../../../../shared/protocol/results/openSplit.ts";
import { numberOf } from "../../evidence/store/rows.ts";
import type { Store } from "../../evidence/archive/store.ts";

/**
 * The split that is meant when none is named: the one that versions are judged by, or training where that is all. Without a
 * version it is asked of all of them.
 */
export async function splitOrDefault(
  store: Store,
  version: string | undefined,
  asked: OpenSplit | undefined,
): Promise<OpenSplit> {
  if (asked !== undefined) return asked;
  const rows = await store.query({
    sql: `SELECT count(*) FILTER (split = 'selection') AS selection, count(*) FILTER (split = 'train') AS train
          FROM rollouts ${version === undefined ? "" : "WHERE version = ?"}`,
    params: version === undefined ? [] : [version],
  });
  const row = rows[0] ?? {};
  return numberOf(row, "selection") === 0 && numberOf(row, "train") > 0 ? "train" : "selection";
}

/** The split in which versions are compared: training only where none of them has another. */
export async function commonSplit(
  store: Store,
  versions: readonly string[],
  asked: OpenSplit | undefined,
): Promise<OpenSplit> {
  const splits: OpenSplit[] = [];
  for (const version of versions) splits.push(await splitOrDefault(store, version, asked));
  return splits.every((s) => s === "train") ? "train" : "selection";
}
