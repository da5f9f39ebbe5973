import type { Turn } from "../../../../shared/model/rollout.ts";

/**
 * Which call a reply answers. The contract has no ids of calls, so the order decides: replies (turns with the role tool) answer
 * the calls of the assistant's turns right before them, the first reply the first call. A reply beyond the number of those
 * calls, or behind a turn of somebody else, answers none.
 */
const answeredIn = new WeakMap<readonly Turn[], readonly (number | null)[]>();

/** For each turn the index of the turn whose call it answers; null where it answers none. */
export function answeredCalls(turns: readonly Turn[]): readonly (number | null)[] {
  const known = answeredIn.get(turns);
  if (known !== undefined) return known;
  let calls: number[] = [];
  let replies = 0;
  const answered = turns.map(({ role, tool }, index) => {
    if (role === "tool") return calls[replies++] ?? null;
    if (role !== "assistant" || turns[index - 1]?.role !== "assistant") [calls, replies] = [[], 0];
    if (role === "assistant" && tool !== undefined) calls.push(index);
    return null;
  });
  answeredIn.set(turns, answered);
  return answered;
}

/**
 * A query of the replies among the turns of a query, which has all turns of its rollouts: `rid`, `idx`, and as `answers` what
 * conditions read of the turn of the call that is answered.
 */
export function answeredSql(turns: string): string {
  return `WITH placed AS MATERIALIZED (
            SELECT *, row_number() OVER (PARTITION BY rid, block, role ORDER BY idx) AS place
            FROM (SELECT *, sum(CASE WHEN role = 'tool' OR (role = 'assistant' AND before IS NOT DISTINCT FROM 'assistant') THEN 0 ELSE 1 END)
                              OVER (PARTITION BY rid ORDER BY idx) AS block
                  FROM (SELECT rid, idx, role, tool, args, ok, lag(role) OVER (PARTITION BY rid ORDER BY idx) AS before FROM (${turns})))
            WHERE role = 'tool' OR (role = 'assistant' AND tool IS NOT NULL))
          SELECT reply.rid, reply.idx,
                 struct_pack(idx := call.idx, role := call.role, tool := call.tool, args := call.args, ok := call.ok) AS answers
          FROM placed reply JOIN placed call ON call.rid = reply.rid AND call.block = reply.block AND call.place = reply.place
          WHERE reply.role = 'tool' AND call.role = 'assistant'`;
}

/** A query of turns with the call that each answers as a column more; `all` has all turns of their rollouts. */
export function withAnswers(turns: string, all = "SELECT * FROM turns"): string {
  return `SELECT y.*, z.answers FROM (${turns}) y LEFT JOIN (${answeredSql(all)}) z ON z.rid = y.rid AND z.idx = y.idx`;
}
