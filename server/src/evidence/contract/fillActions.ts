import { actionNames, commandSql, fileSql, kindSql, matches } from "./actions.ts";
import { repeatedCallsSql } from "./repeatedCalls.ts";

/** A column of the rows of a rollout's kinds as one value, by kind. */
const byAction = (column: string): string =>
  `{${actionNames.map((name) => `'${name}': max(${column}) FILTER (kind = '${name}')`).join(", ")}}`;

/**
 * A command that goes on after an edit, often by running what it wrote: if it fails, it need not be the edit that failed. What
 * follows stands behind `&&`, `;` or `|`, or below the end of a text that is written; a program that writes a file does other
 * things, too.
 */
const editAndMore = String.raw`(?s)(sed (-[A-Za-z]+ )*-i|git apply|apply_patch|patch -p|cat (<<[^\n]*)?>|tee [^|]).*((&&|[;|])\s*[\w./]|\n[A-Za-z_]+\s*\n\s*\S)|\bopen\(|\.write_text\(`;

/** Fills the table `actions` for a range of rids, given twice. What a call is given is read of its JSON once. */
export const fillActions = `
  INSERT INTO actions
  WITH given AS MATERIALIZED (
    SELECT t.rid, t.idx, t.tool, t.ok, ${commandSql("t")} AS command, ${fileSql("t")} AS file,
           CASE WHEN t.tool IS NOT NULL AND t.args IS NOT NULL THEN hash(t.tool, t.args) END AS call
    FROM turns t WHERE t.rid BETWEEN $1 AND $2 AND t.role = 'assistant'
  ), policy AS MATERIALIZED (
    SELECT rid, idx, tool, file, call, CASE WHEN tool IS NOT NULL THEN ${kindSql("tool", "command")} END AS kind,
           CASE WHEN ok OR kind <> 'edit' OR NOT ${matches("coalesce(command, '')", editAndMore)} THEN ok END AS ok,
           row_number() OVER (PARTITION BY rid ORDER BY idx) - 1 AS place
    FROM given
  ), calls AS (
    SELECT rid, place, kind, ok,
           row_number() OVER (PARTITION BY rid ORDER BY idx)
             - row_number() OVER (PARTITION BY rid, kind ORDER BY idx) AS island
    FROM policy WHERE tool IS NOT NULL
  ), islands AS (
    SELECT rid, kind, count(*) AS calls, count(ok) AS told, count(*) FILTER (NOT ok) AS errors, min(place) AS place
    FROM calls GROUP BY rid, kind, island
  ), kinds AS (
    SELECT rid, kind, sum(calls)::BIGINT AS calls, sum(told)::BIGINT AS told, sum(errors)::BIGINT AS errors,
           max(calls) AS longest, min(place) AS place
    FROM islands GROUP BY rid, kind
  ), by_kind AS (
    SELECT rid, ${byAction("calls")} AS counts, ${byAction("place")} AS firsts, ${byAction("longest")} AS streaks,
           ${byAction("told")} AS told, ${byAction("errors")} AS errors
    FROM kinds GROUP BY rid
  ), files AS (
    SELECT rid, list(DISTINCT file ORDER BY file) AS files FROM policy
    WHERE kind = 'edit' AND file IS NOT NULL GROUP BY rid
  ), ${repeatedCallsSql("policy", "t.rid BETWEEN $1 AND $2")}
  SELECT r.rid, k.counts, k.firsts, k.streaks, k.told, k.errors, coalesce(f.files, []::VARCHAR[]),
         coalesce(c.turns, []::BIGINT[])
  FROM (SELECT rid FROM rollouts WHERE rid BETWEEN $3 AND $4) r
  LEFT JOIN by_kind k USING (rid) LEFT JOIN files f USING (rid) LEFT JOIN repeated c USING (rid)
  ORDER BY r.rid`;
