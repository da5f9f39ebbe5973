import type { OpenSplit } from "../../../../shared/protocol/results/openSplit.ts";
import { liveProbability, replaySamplers, type ItemRecord } from "../../backtest/curriculum.ts";
import { itemOutcomes } from "../../diagnosis/countOutcomes.ts";
import { numberOf, stringOf } from "../../evidence/store/rows.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { defineService } from "../workspace/service.ts";
import { trainedSplit } from "./backtestReward.ts";

/** The size of groups that is taken where the archive has none of two or more. */
const usualGroup = 8;

/** What samplers and a gate would have drawn, from the archived pass rates of a version's items. Stores nothing. */
export const backtestCurriculum = defineService("backtest.curriculum", {
  repeatable: true,
  async run({ store }, { version, split: asked, prompts, group: askedGroup, steps, keep, seed }) {
    const split = asked ?? (await trainedSplit(store, version));
    const outcomes = await itemOutcomes(store, { version, split });
    const items = outcomes.map(({ item, pass, fail }): ItemRecord => ({ item, passes: pass, fails: fail }));
    const known = items.filter(({ passes, fails }) => passes + fails > 0);
    const groups = await groupsOf(store, version, split);
    const group = askedGroup ?? usualSize(groups.map(({ size }) => size));
    const byItem = new Map(known.map((item) => [item.item, item]));
    const expected = groups.reduce((sum, { item, size }) => {
      const record = byItem.get(item);
      return record === undefined ? sum : sum + liveProbability(record, size);
    }, 0);
    return {
      ...{ version, split, items: known.length, withoutOutcome: items.length - known.length },
      ...{ prompts, group, steps, keep },
      archived: { groups: groups.length, live: groups.filter(({ live }) => live).length, expected },
      samplers: replaySamplers(known, { prompts, group, steps, keep, seed }),
    };
  },
});

interface Group {
  readonly item: string;
  /** Rollouts with a known outcome. */
  readonly size: number;
  readonly live: boolean;
}

async function groupsOf(store: Store, version: string, split: OpenSplit): Promise<Group[]> {
  const rows = await store.query({
    sql: `SELECT min(item) AS item, count(*) AS size,
                 (count(*) FILTER (outcome = 'pass') BETWEEN 1 AND count(*) - 1)::INTEGER AS live
          FROM rollouts WHERE version = ? AND split = ? AND outcome <> 'unknown'
          GROUP BY run, step, "group" HAVING count(*) > 1`,
    params: [version, split],
  });
  return rows.map((row) => ({
    item: stringOf(row, "item"),
    size: numberOf(row, "size"),
    live: numberOf(row, "live") === 1,
  }));
}

/** The most frequent size, the largest of several. */
function usualSize(sizes: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const size of sizes) counts.set(size, (counts.get(size) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
  return most?.[0] ?? usualGroup;
}
