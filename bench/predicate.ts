import type { SqlFragment } from "../server/src/evidence/store.ts";

/** The diagnostic of the labelling benchmark, as a researcher writes it. */
export const predicate = {
  when: 'longest_tool_streak >= 8 && outcome != "pass"',
  evidence: "turn.tool == streak_tool",
};

/** What the predicate compiler makes of it. To be replaced by a call of `compilePredicate` with `predicate`. */
export function compiledPredicate(): { readonly where: SqlFragment; readonly evidence: SqlFragment } {
  return {
    where: { sql: "f.longest_tool_streak >= ? AND r.outcome <> ?", params: [8n, "pass"] },
    evidence: { sql: "t.tool = f.streak_tool", params: [] },
  };
}

/** The same labels, turns and counts by hand: what one would type into a DuckDB shell. */
export const handWritten: readonly string[] = [
  `DELETE FROM labels WHERE label = 'hand' AND rid IN (SELECT rid FROM rollouts WHERE split = 'train')`,
  `INSERT INTO labels
   SELECT r.rid, 'hand', '1', list(t.idx ORDER BY t.idx)
   FROM rollouts r JOIN features f ON f.rid = r.rid JOIN turns t ON t.rid = r.rid AND t.tool = f.streak_tool
   WHERE r.split = 'train' AND f.longest_tool_streak >= 8 AND r.outcome <> 'pass'
   GROUP BY r.rid`,
  `SELECT count(*), count(*) FILTER (verdict), count(*) FILTER (verdict IS NULL)
   FROM (SELECT f.longest_tool_streak >= 8 AND r.outcome <> 'pass' AS verdict
         FROM rollouts r JOIN features f ON f.rid = r.rid WHERE r.split = 'train')`,
];
