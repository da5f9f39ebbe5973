import { countNewestFirst } from "../../server/src/evidence/queries/liveCount.ts";
import { ensureDerived } from "../../server/src/evidence/store/derived.ts";
import { scopeCondition } from "../../server/src/evidence/store/split.ts";
import { openStore, type Store } from "../../server/src/evidence/archive/store.ts";
import { compiledSql } from "./predicate.ts";
import { least, median, quantile, type BenchRow } from "../row.ts";

const conditions = [
  'reward > 0.5 && outcome != "pass"',
  'turns.exists(t, t.tool == "bash" && !t.ok)',
  "longest_tool_streak >= 3 && n_turns > 2",
  'turns.exists(t, t.text.matches("Traceback.*[Ee]rror"))',
  'turns.exists(t, t.text.matches("[A-Z][a-z]+Error"))',
];
const scope = { split: "train" } as const;

/**
 * T8: from an edit of a condition, compiled anew, to what it does on the newest 20,480 rollouts, and on all of them against
 * one query; T8b: how long a superseded count goes on, against the same.
 */
export async function benchLive(options: {
  readonly database: string;
  readonly rows: number;
  readonly rounds: number;
}): Promise<BenchRow[]> {
  const store = await openStore({ path: options.database, evidenceRoot: "/", threads: 2 });
  try {
    await ensureDerived(store, "features");
    const first: number[] = [];
    const ratios: number[] = [];
    const cancels: { readonly ms: number; readonly ratio: number }[] = [];
    for (const cel of conditions) {
      const [whole, live]: [number[], number[]] = [[], []];
      for (let round = 0; round <= options.rounds; round++) {
        const oneShot = await timeWhole(store, cel);
        const counted = await timeLive(store, cel);
        // Soon after the first answer, as somebody types on, and in the middle.
        const cancelled = await timeCancel(store, cel, round % 2 === 0 ? 5 : oneShot / 2);
        if (round === 0) continue;
        whole.push(oneShot);
        live.push(counted.total);
        first.push(counted.first);
        cancels.push({ ms: cancelled, ratio: cancelled / oneShot });
      }
      ratios.push(least(live) / least(whole));
    }
    // Either bound does: a count that is done sooner than that needs no cancelling.
    const late = cancels.map(({ ms, ratio }) => Math.min(ratio / 0.3, ms / 100));
    return [
      {
        name: "T8 edit to labels of the newest 20,480 rollouts, p95",
        measured: quantile(first, 0.95),
        target: 100,
        unit: "ms",
        detail: `${options.rows} rollouts, ${conditions.length} conditions: p50 ${median(first).toFixed(1)} ms`,
      },
      {
        name: "T8 all rollouts, newest first / one query, worst",
        measured: Math.max(...ratios),
        target: 1.4,
        unit: "ratio",
        detail: ratios.map((r) => r.toFixed(2)).join(", "),
      },
      {
        name: "T8b stopping a superseded count, p95 / 0.3 of one query or 100 ms",
        measured: quantile(late, 0.95),
        target: 1,
        unit: "ratio",
        detail: `p95 ${quantile(
          cancels.map((c) => c.ms),
          0.95,
        ).toFixed(0)} ms`,
      },
    ];
  } finally {
    await store.close();
  }
}

async function timeWhole(store: Store, cel: string): Promise<number> {
  const start = performance.now();
  const where = compiledSql(cel);
  const joined = /\bf\./.test(where) ? "JOIN features f ON f.rid = r.rid" : "";
  await store.query({
    sql: `SELECT count(*), count(*) FILTER (verdict), count(*) FILTER (verdict IS NULL)
          FROM (SELECT (${where}) AS verdict FROM rollouts r ${joined} WHERE ${scopeCondition(scope).sql})`,
    params: [],
  });
  return performance.now() - start;
}

async function timeLive(
  store: Store,
  cel: string,
): Promise<{ readonly first: number; readonly total: number }> {
  const start = performance.now();
  let first = 0;
  for await (const count of countNewestFirst(store, {
    scope,
    where: { sql: compiledSql(cel), params: [] },
  })) {
    if (first === 0 && count.rollouts > 0) first = performance.now() - start;
  }
  return { first, total: performance.now() - start };
}

/** From the wish to stop, so many milliseconds after the first answer, until it has stopped. */
async function timeCancel(store: Store, cel: string, delay: number): Promise<number> {
  const controller = new AbortController();
  const counts = countNewestFirst(store, {
    scope,
    where: { sql: compiledSql(cel), params: [] },
    signal: controller.signal,
  });
  let asked = 0;
  try {
    for await (const count of counts) {
      if (count.done) return asked === 0 ? 0 : Math.max(0, performance.now() - asked);
      if (asked > 0) continue;
      asked = performance.now() + delay;
      setTimeout(() => {
        controller.abort();
      }, delay);
    }
  } catch {
    return Math.max(0, performance.now() - asked);
  }
  return Math.max(0, performance.now() - asked);
}
