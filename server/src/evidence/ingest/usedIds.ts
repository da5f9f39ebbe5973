import type { Rollout } from "../../../../shared/model/rollout.ts";
import type { Store } from "../store/database.ts";
import { stringOf } from "../store/rows.ts";

/** Half a surrogate pair is stored as the replacement character, and JSON of the engine refuses it. */
const wellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, "\ufffd");

/** The ids among those given that their run already has in the archive, as `keyOf` writes them. */
export async function usedIds(
  store: Store,
  rollouts: readonly Pick<Rollout, "run" | "id">[],
): Promise<Set<string>> {
  const runs = [...new Set(rollouts.map(({ run }) => run))];
  const [first] = runs;
  if (first === undefined) return new Set();
  const found = await store.query({
    sql: `SELECT run, id FROM rollouts
          WHERE ${runs.length === 1 ? "run = ?" : "run IN (SELECT unnest(?))"} AND id IN (SELECT unnest(from_json(?, '["VARCHAR"]')))`,
    // One text crosses into the engine far faster than a list of ids.
    params: [runs.length === 1 ? first : runs, JSON.stringify(rollouts.map(({ id }) => wellFormed(id)))],
  });
  return new Set(found.map((row) => keyOf({ run: stringOf(row, "run"), id: stringOf(row, "id") })));
}

export const keyOf = ({ run, id }: Pick<Rollout, "run" | "id">): string => JSON.stringify([run, id]);
