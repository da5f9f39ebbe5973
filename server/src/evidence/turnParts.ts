import { actionSql, commandKeys, commandSql, fileKeys, fileSql, writtenKeys, writtenSql } from "./actions.ts";

/** What conditions read of a turn's call, as they write it; each is dear, and many conditions read the same. */
const parts = [
  { name: "call_command", sql: commandSql, keys: commandKeys },
  { name: "call_file", sql: fileSql, keys: fileKeys },
  { name: "call_written", sql: writtenSql, keys: writtenKeys },
] as const;
const action = "call_action";

/** Expressions over turns, and the table that they are over. */
export interface WithParts {
  readonly expressions: readonly string[];
  /** `turns` with an alias, or a query in brackets with it. */
  readonly from: string;
}

/**
 * Rewrites expressions over `turns` under an alias so that what they read of a call is computed once per turn, whichever of them
 * read it, and its arguments are parsed once.
 */
export function withParts(alias: string, expressions: readonly string[], from = "turns"): WithParts {
  const plain = { expressions, from: `${from} ${alias}` };
  // The kind of a call is told by its command: it goes first, while its text is still whole.
  const byAction = replaced(expressions, actionSql(alias), `${alias}.${action}`);
  const used = parts.filter((part) => expressions.some((text) => text.includes(part.sql(alias))));
  if (used.length === 0) return plain;
  let rewritten = byAction.expressions;
  for (const part of used)
    rewritten = replaced(rewritten, part.sql(alias), `${alias}.${part.name}`).expressions;
  const keys: readonly string[] = used.flatMap((part) => part.keys);
  const list = keys.map((key) => `'$."${key}"'`).join(", ");
  const columns = used.map(
    (part) =>
      `coalesce(${part.keys.map((key) => `given[${keys.indexOf(key) + 1}]`).join(", ")}) AS ${part.name}`,
  );
  const called = `(SELECT * EXCLUDE (given), ${columns.join(", ")}
    FROM (SELECT *, json_extract_string(args, [${list}]) AS given FROM ${from}))`;
  if (!byAction.any) return { expressions: rewritten, from: `${called} ${alias}` };
  const [kind = ""] = replaced([actionSql("c")], commandSql("c"), "c.call_command").expressions;
  return { expressions: rewritten, from: `(SELECT *, ${kind} AS ${action} FROM ${called} c) ${alias}` };
}

function replaced(
  expressions: readonly string[],
  what: string,
  by: string,
): { readonly expressions: readonly string[]; readonly any: boolean } {
  return {
    expressions: expressions.map((text) => text.replaceAll(what, () => by)),
    any: expressions.some((text) => text.includes(what)),
  };
}
