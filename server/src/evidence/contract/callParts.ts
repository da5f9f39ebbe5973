import { commandKeys, commandSql, namesOneOf, writtenKeys, writtenSql } from "./actions.ts";

/**
 * What conditions read of a turn's call; each is dear, and many conditions read the same. The file is not among them: it is asked
 * of the few calls of which something else holds, and most calls name one.
 */
const parts = { command: commandSql, written: writtenSql } as const;
export type CallPart = keyof typeof parts;

/** The SQL of the parts of the call of a row of the table `turns`. */
export const partSql =
  (alias: string) =>
  (part: CallPart): string =>
    parts[part](alias);

/**
 * A query of turns with what is read of their calls as columns. Where that is both a command and what is written, a turn
 * whose call names neither, as those that only name a file, is looked through once for both.
 */
export function withParts(turns: string, read: ReadonlySet<CallPart>): string {
  const columns = (["command", "written"] as const satisfies readonly CallPart[]).filter((part) =>
    read.has(part),
  );
  const either = columns.length > 1;
  const selected = columns.map((part) => {
    const sql = parts[part]("x");
    return `${either ? `(CASE WHEN x.call_either THEN ${sql} END)` : sql} AS ${partColumn(part)}`;
  });
  const source = either
    ? `SELECT *, ${namesOneOf("x", [...commandKeys, ...writtenKeys])} AS call_either FROM (${turns}) x`
    : turns;
  return `SELECT ${["*", ...selected].join(", ")} FROM (${source}) x`;
}

export const partColumn = (part: CallPart): string => `call_${part}`;
