import type { Turn } from "../../../../shared/model/rollout.ts";
import { actionOf } from "./actions.ts";
import { answeredCalls, answeredSql } from "./answeredCalls.ts";

/**
 * The calls that repeat an earlier one in vain: the same tool with the same arguments and the same reply as the last time, and no
 * edit of a file in between that had not been made before. A call of which no arguments are recorded is never the same as another one, and a
 * call without a reply repeats none.
 */
export function repeatedCalls(turns: readonly Turn[]): readonly number[] {
  const known = repeatedIn.get(turns);
  if (known !== undefined) return known;
  const found = findRepeated(turns);
  repeatedIn.set(turns, found);
  return found;
}

const repeatedIn = new WeakMap<readonly Turn[], readonly number[]>();

function findRepeated(turns: readonly Turn[]): readonly number[] {
  const replies = new Map<number, string>();
  for (const [reply, call] of answeredCalls(turns).entries())
    if (call !== null) replies.set(call, turns[reply]?.text ?? "");
  const earlier = new Map<string, { readonly index: number; readonly edits: number }>();
  let edits = 0;
  return turns.flatMap((turn, index) => {
    const { role, tool, args } = turn;
    if (role !== "assistant" || tool === undefined) return [];
    const editsBefore = edits;
    const call = args === undefined ? undefined : JSON.stringify([tool, args]);
    const before = call === undefined ? undefined : earlier.get(call);
    if (before === undefined && actionOf(turn) === "edit") edits++;
    if (call === undefined) return [];
    earlier.set(call, { index, edits });
    const isSame = before?.edits === editsBefore && replies.has(index);
    return isSame && replies.get(index) === replies.get(before.index) ? [index] : [];
  });
}

/**
 * The same in SQL, as expressions of a WITH clause that ends with `repeated`: a list of turns for each rollout that has any. `policy`
 * has the turns of the policy, with the kind of each call, and its hash as `call`; `range` is the condition on their rids. Replies are
 * read only of rollouts in which a call was made twice.
 */
export const repeatedCallsSql = (policy: string, range: string): string => `
  twice AS (
    SELECT DISTINCT rid FROM (SELECT rid FROM ${policy} WHERE call IS NOT NULL GROUP BY rid, call HAVING count(*) > 1)
  ), ranked AS (
    SELECT rid, idx, call, kind, row_number() OVER (PARTITION BY rid, call ORDER BY idx) AS nth
    FROM ${policy} SEMI JOIN twice USING (rid) WHERE tool IS NOT NULL
  ), edited AS (
    SELECT rid, idx, call, (kind = 'edit' AND (call IS NULL OR nth = 1))::BIGINT AS is_edit FROM ranked
  ), since AS (
    SELECT rid, idx, call, is_edit, sum(is_edit) OVER (PARTITION BY rid ORDER BY idx) AS edits FROM edited
  ), again AS MATERIALIZED (
    SELECT rid, idx, earlier FROM (
      SELECT rid, idx, edits - is_edit AS edits_before, lag(idx) OVER one AS earlier, lag(edits) OVER one AS edits_then
      FROM since WHERE call IS NOT NULL WINDOW one AS (PARTITION BY rid, call ORDER BY idx))
    WHERE edits_before = edits_then
  ), replies AS MATERIALIZED (
    SELECT z.rid, z.answers.idx AS call, t."text" AS said
    FROM (${answeredSql(`SELECT * FROM turns t WHERE ${range} AND t.rid IN (SELECT rid FROM again)`)}) z
    JOIN turns t ON t.rid = z.rid AND t.idx = z.idx AND ${range} AND t.rid IN (SELECT rid FROM again)
  ), repeated AS (
    SELECT a.rid, list(a.idx ORDER BY a.idx) AS turns
    FROM again a JOIN replies now ON now.rid = a.rid AND now.call = a.idx
                 JOIN replies old ON old.rid = a.rid AND old.call = a.earlier
    WHERE now.said = old.said GROUP BY a.rid
  )`;
