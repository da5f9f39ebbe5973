import type { Turn } from "../../../../shared/model/rollout.ts";

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
  /** The index of the turn with which that run begins; null without calls. */
  readonly streak_start: number | null;
  /** The index of the turn with which it ends. */
  readonly streak_end: number | null;
  readonly tool_counts: Readonly<Record<string, number>>;
  /** By tool, the index among the policy's turns of its first call. */
  readonly tool_first: Readonly<Record<string, number>>;
  /** By tool, most calls in a row. */
  readonly tool_streaks: Readonly<Record<string, number>>;
  /** The tools called, in order. */
  readonly calls: readonly string[];
  /** The indices of the turns whose call, after the one before it, makes a pair of tools that occurred earlier. */
  readonly repeat_turns: readonly number[];
}

/** The features of one rollout in memory: the same values as the table `features`, which a test holds it to. */
export function featuresOf(turns: readonly Turn[]): Features {
  const policy = turns.filter((t) => t.role === "assistant");
  const calls = turns.flatMap(({ role, tool, ok }, index) =>
    role === "assistant" && tool !== undefined ? [{ tool, ok, index }] : [],
  );
  const streaks = new Map<string, number>();
  const counts = new Map<string, number>();
  let longest = 0;
  let streakTool: string | null = null;
  let streakStart: number | null = null;
  let streakEnd: number | null = null;
  let current = 0;
  let currentStart = 0;
  let before: string | undefined;
  const pairs = new Set<string>();
  const repeats: number[] = [];
  for (const { tool, index } of calls) {
    counts.set(tool, (counts.get(tool) ?? 0) + 1);
    if (before !== undefined) {
      const pair = JSON.stringify([before, tool]);
      if (pairs.has(pair)) repeats.push(index);
      pairs.add(pair);
    }
    current = tool === before ? current + 1 : 1;
    if (current === 1) currentStart = index;
    before = tool;
    streaks.set(tool, Math.max(streaks.get(tool) ?? 0, current));
    if (current > longest) {
      longest = current;
      streakTool = tool;
      [streakStart, streakEnd] = [currentStart, index];
    }
  }
  return {
    n_turns: policy.length,
    n_messages: turns.length,
    n_tool_calls: calls.length,
    n_tool_errors: calls.filter((t) => t.ok === false).length,
    n_tools: counts.size,
    longest_tool_streak: longest,
    streak_tool: streakTool,
    streak_start: streakStart,
    streak_end: streakEnd,
    tool_counts: Object.fromEntries(counts),
    tool_first: Object.fromEntries([...counts.keys()].map((t) => [t, policy.findIndex((p) => p.tool === t)])),
    tool_streaks: Object.fromEntries(streaks),
    calls: calls.map(({ tool }) => tool),
    repeat_turns: repeats,
  };
}

/** The Shannon entropy of the tools that a row of \`features f\` calls, in bits; NULL without a call. */
export const toolEntropySql =
  "(CASE WHEN f.n_tool_calls > 0 THEN list_sum(list_transform(map_values(f.tool_counts), lambda c: -(c / f.n_tool_calls::DOUBLE) * log2(c / f.n_tool_calls::DOUBLE))) END)";

/** The turns of the policy in a row of `features f`; NULL where no turn was kept, so that nobody knows them. */
export const policyTurnsSql = "(CASE WHEN f.n_messages > 0 THEN f.n_turns END)";

/**
 * Fills the table for a range of rids, given twice. Streaks are found by gaps and islands over the calls, in one pass and
 * without a correlated subquery.
 */
export const fillFeatures = `
  INSERT INTO features
  WITH all_turns AS (
    SELECT rid, idx, role, tool, ok FROM turns WHERE rid BETWEEN $1 AND $2
  ), policy AS (
    SELECT rid, idx, tool, ok, row_number() OVER (PARTITION BY rid ORDER BY idx) - 1 AS place
    FROM all_turns WHERE role = 'assistant'
  ), calls AS (
    SELECT rid, idx, place, tool, ok, lag(tool) OVER (PARTITION BY rid ORDER BY idx) AS before,
           row_number() OVER (PARTITION BY rid ORDER BY idx)
             - row_number() OVER (PARTITION BY rid, tool ORDER BY idx) AS island
    FROM policy WHERE tool IS NOT NULL
  ), islands AS (
    SELECT rid, tool, count(*) AS calls, count(*) FILTER (ok = false) AS errors, min(idx) AS first,
           max(idx) AS last, min(place) AS place
    FROM calls GROUP BY rid, tool, island
  ), tools AS (
    SELECT rid, tool, sum(calls)::BIGINT AS calls, sum(errors)::BIGINT AS errors, max(calls) AS longest,
           min(place) AS place, arg_min(first, (-calls, first)) AS first, arg_min(last, (-calls, first)) AS last
    FROM islands GROUP BY rid, tool
  ), by_tool AS (
    SELECT rid, sum(calls)::BIGINT AS calls, sum(errors)::BIGINT AS errors, count(*) AS tools,
           max(longest) AS longest, arg_min(tool, (-longest, first)) AS streak_tool,
           arg_min(first, (-longest, first)) AS streak_start, arg_min(last, (-longest, first)) AS streak_end,
           map_from_entries(list((tool, calls) ORDER BY place)) AS counts,
           map_from_entries(list((tool, place) ORDER BY place)) AS firsts,
           map_from_entries(list((tool, longest) ORDER BY place)) AS streaks
    FROM tools GROUP BY rid
  ), in_order AS (
    SELECT rid, list(tool ORDER BY idx) AS calls FROM calls GROUP BY rid
  ), pairs AS (
    SELECT rid, idx, row_number() OVER (PARTITION BY rid, before, tool ORDER BY idx) AS nth
    FROM calls WHERE before IS NOT NULL
  ), repeats AS (
    SELECT rid, list(idx ORDER BY idx) AS turns FROM pairs WHERE nth > 1 GROUP BY rid
  ), by_turn AS (
    SELECT rid, count(*) AS messages, count(*) FILTER (role = 'assistant') AS turns
    FROM all_turns GROUP BY rid
  )
  SELECT r.rid, coalesce(t.turns, 0), coalesce(t.messages, 0), coalesce(c.calls, 0), coalesce(c.errors, 0),
         coalesce(c.tools, 0), coalesce(c.longest, 0), c.streak_tool, c.streak_start, c.streak_end,
         coalesce(c.counts, MAP {}::MAP(VARCHAR, BIGINT)), coalesce(c.firsts, MAP {}::MAP(VARCHAR, BIGINT)),
         coalesce(c.streaks, MAP {}::MAP(VARCHAR, BIGINT)), coalesce(o.calls, []::VARCHAR[]),
         coalesce(p.turns, []::BIGINT[])
  FROM (SELECT rid FROM rollouts WHERE rid BETWEEN $3 AND $4) r
  LEFT JOIN by_turn t USING (rid) LEFT JOIN by_tool c USING (rid) LEFT JOIN in_order o USING (rid)
  LEFT JOIN repeats p USING (rid)
  ORDER BY r.rid`;
