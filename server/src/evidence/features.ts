import type { Turn } from "../../../shared/model/rollout.ts";
import { arrivals } from "./arrivals.ts";
import type { Store } from "./database.ts";

/** What labels can ask about a whole rollout without looking at its turns. */
export interface Features {
  /** Turns of the policy: those with the role assistant. */
  readonly n_turns: number;
  /** All turns. */
  readonly n_messages: number;
  /** Assistant turns that call a tool. */
  readonly n_tool_calls: number;
  /** Those that did not succeed. */
  readonly n_tool_errors: number;
  /** Different tools that were called. */
  readonly n_tools: number;
  /** Longest run of calls of one tool; what was said in between does not break it. */
  readonly longest_tool_streak: number;
  /** The tool of that run, the first one of several; null without calls. */
  readonly streak_tool: string | null;
  readonly tool_counts: Readonly<Record<string, number>>;
}

/** The features of one rollout in memory: the same values as the table `features`, which a test holds it to. */
export function featuresOf(turns: readonly Turn[]): Features {
  const calls = turns.filter((t) => t.role === "assistant" && t.tool !== undefined);
  const counts = new Map<string, number>();
  let longest = 0;
  let streakTool: string | null = null;
  let current = 0;
  let before: string | undefined;
  for (const { tool = "" } of calls) {
    counts.set(tool, (counts.get(tool) ?? 0) + 1);
    current = tool === before ? current + 1 : 1;
    before = tool;
    if (current > longest) {
      longest = current;
      streakTool = tool;
    }
  }
  return {
    n_turns: turns.filter((t) => t.role === "assistant").length,
    n_messages: turns.length,
    n_tool_calls: calls.length,
    n_tool_errors: calls.filter((t) => t.ok === false).length,
    n_tools: counts.size,
    longest_tool_streak: longest,
    streak_tool: streakTool,
    tool_counts: Object.fromEntries(counts),
  };
}

const batchRows = 200_000;

/** Up to which arrival the features of a store are complete. */
const filledAt = new WeakMap<Store, number>();

/**
 * Fills the table `features` for the rollouts that came in since the last call. Streaks are found by gaps and islands
 * over the calls, in one pass and without a correlated subquery.
 */
export function ensureFeatures(store: Store): Promise<void> {
  return store.exclusive("features", async () => {
    const now = arrivals(store);
    if (filledAt.get(store) === now) return;
    await fill(store);
    filledAt.set(store, now);
  });
}

async function fill(store: Store): Promise<void> {
  // Every rollout has one row of features, and counting rows costs nothing.
  const [counts] = await store.query({
    sql: "SELECT (SELECT count(*) FROM features) = (SELECT count(*) FROM rollouts) AS complete",
    params: [],
  });
  if (counts?.["complete"] === true) return;
  const rows = await store.query({
    sql: `SELECT (SELECT coalesce(max(rid), -1) FROM features)::BIGINT AS done,
                   (SELECT coalesce(max(rid), -1) FROM rollouts)::BIGINT AS last`,
    params: [],
  });
  const last = Number(rows[0]?.["last"]);
  for (let done = Number(rows[0]?.["done"]); done < last; done += batchRows) {
    const range = [BigInt(done + 1), BigInt(Math.min(done + batchRows, last))];
    await store.write((connection) => connection.run(fillFeatures, [...range, ...range]));
  }
}

const fillFeatures = `
  INSERT INTO features
  WITH all_turns AS (
    SELECT rid, idx, role, tool, ok FROM turns WHERE rid BETWEEN $1 AND $2
  ), calls AS (
    SELECT rid, idx, tool, ok,
           row_number() OVER (PARTITION BY rid ORDER BY idx)
             - row_number() OVER (PARTITION BY rid, tool ORDER BY idx) AS island
    FROM all_turns WHERE role = 'assistant' AND tool IS NOT NULL
  ), islands AS (
    SELECT rid, tool, count(*) AS calls, count(*) FILTER (ok = false) AS errors, min(idx) AS first
    FROM calls GROUP BY rid, tool, island
  ), tools AS (
    SELECT rid, tool, sum(calls)::BIGINT AS calls, sum(errors)::BIGINT AS errors, max(calls) AS longest,
           arg_min(first, (-calls, first)) AS first
    FROM islands GROUP BY rid, tool
  ), by_call AS (
    SELECT rid, sum(calls)::BIGINT AS calls, sum(errors)::BIGINT AS errors, count(*) AS tools,
           max(longest) AS longest, arg_min(tool, (-longest, first)) AS streak_tool,
           map_from_entries(list((tool, calls) ORDER BY first)) AS counts
    FROM tools GROUP BY rid
  ), by_turn AS (
    SELECT rid, count(*) AS messages, count(*) FILTER (role = 'assistant') AS turns
    FROM all_turns GROUP BY rid
  )
  SELECT r.rid, coalesce(t.turns, 0), coalesce(t.messages, 0), coalesce(c.calls, 0), coalesce(c.errors, 0),
         coalesce(c.tools, 0), coalesce(c.longest, 0), c.streak_tool,
         coalesce(c.counts, MAP {}::MAP(VARCHAR, BIGINT))
  FROM (SELECT rid FROM rollouts WHERE rid BETWEEN $3 AND $4) r
  LEFT JOIN by_turn t USING (rid) LEFT JOIN by_call c USING (rid)
  ORDER BY r.rid`;
