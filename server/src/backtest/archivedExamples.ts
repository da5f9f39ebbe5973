import { tablesFor } from "../evidence/store/derived.ts";
import { stringOf } from "../evidence/store/rows.ts";
import { scopeCondition, type EvidenceScope } from "../evidence/store/split.ts";
import type { Store } from "../evidence/archive/store.ts";

export type ArchivedVerdict = "labelled" | "clear" | "undecided" | "not_archived";

/** A condition as SQL over `rollouts r` and `features f`, and the rollouts that it is tried on, as run/id. */
export interface ArchivedTry {
  readonly sql: string;
  readonly rollouts: readonly string[];
}

/**
 * What conditions say of archived rollouts, in the order of each list; all of them in one pass over the archive. Rollouts of
 * the audit split are sealed, so that they count as not archived.
 */
export async function tryArchived(store: Store, tries: readonly ArchivedTry[]): Promise<ArchivedVerdict[][]> {
  const names = [...new Set(tries.flatMap(({ rollouts }) => rollouts))];
  const found = tries.map(() => new Map<string, ArchivedVerdict>());
  if (names.length === 0) return tries.map(() => []);
  const tables = await tablesFor(store, tries.map(({ sql }) => sql).join(" "));
  const verdicts = tries.map(({ sql }, i) => `(${sql}) AS verdict${i}`).join(", ");
  const open: EvidenceScope[] = [{ split: "selection" }, { split: "train" }];
  for (const scope of open) {
    const where = scopeCondition(scope);
    const rows = await store.query({
      sql: `SELECT r.run || '/' || r.id AS name, ${verdicts} FROM ${tables}
            WHERE ${where.sql} AND r.run || '/' || r.id IN (SELECT unnest(?))`,
      params: [...where.params, names],
    });
    for (const row of rows)
      for (const [i, known] of found.entries()) {
        const verdict = row[`verdict${i}`];
        known.set(
          stringOf(row, "name"),
          verdict === true ? "labelled" : verdict === false ? "clear" : "undecided",
        );
      }
  }
  return tries.map(({ rollouts }, i) => rollouts.map((name) => found[i]?.get(name) ?? "not_archived"));
}
