import type { SeedScores } from "../../../../shared/protocol/results/items.ts";
import { numberOf, numberOrNull, stringOf } from "../../evidence/store/rows.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { defineService } from "../workspace/service.ts";

/** The solve rates of every seed of every version, until something is written into the archive. */
const kept = new WeakMap<
  Store,
  { readonly commits: number; readonly scores: ReadonlyMap<string, SeedScores> }
>();

/** The solve rate of each seed of versions on the selection split. Stores nothing. */
export const versionsSeeds = defineService("versions.seeds", {
  repeatable: true,
  async run({ store }, { versions }) {
    const scores = await scoresOf(store);
    return versions.flatMap((version) => scores.get(version) ?? []);
  },
});

async function scoresOf(store: Store): Promise<ReadonlyMap<string, SeedScores>> {
  const commits = store.commits();
  const known = kept.get(store);
  if (known?.commits === commits) return known.scores;
  const rows = await store.query({
    sql: `SELECT version, seed, count(*) FILTER (outcome = 'pass') / count(*) AS score FROM rollouts
          WHERE split = 'selection' AND outcome <> 'unknown' GROUP BY version, seed ORDER BY version, seed`,
    params: [],
  });
  const scores = new Map<string, SeedScores>();
  for (const row of rows) {
    const seed = numberOrNull(row, "seed");
    if (seed === null) continue;
    const version = stringOf(row, "version");
    const found = scores.get(version) ?? { version, seeds: [] };
    scores.set(version, found);
    found.seeds.push({ seed, score: numberOf(row, "score") });
  }
  kept.set(store, { commits, scores });
  return scores;
}
