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
 * A query of turns with what is read of their calls as columns, and with `anyPart` where anything is. Where that is both a command
 * and what is written, a turn whose call names neither, as those that only name a file, is looked through once for both.
 */
export function withParts(turns: string, read: ReadonlySet<CallPart>): string {
  const [first, ...others] = (["command", "written"] as const satisfies readonly CallPart[]).filter((part) =>
    read.has(part),
  );
  if (first === undefined) return `SELECT * FROM (${turns}) x`;
  if (others.length === 0)
    return `SELECT *, ${partColumn(first)} IS NOT NULL AS ${anyPart} FROM (SELECT *, ${parts[first]("x")} AS ${partColumn(first)} FROM (${turns}) x) x`;
  const selected = [first, ...others].map(
    (part) => `(CASE WHEN x.${anyPart} THEN ${parts[part]("x")} END) AS ${partColumn(part)}`,
  );
  const either = namesOneOf("x", [...commandKeys, ...writtenKeys]);
  return `SELECT ${["*", ...selected].join(", ")} FROM (SELECT *, ${either} AS ${anyPart} FROM (${turns}) x) x`;
}

export const partColumn = (part: CallPart): string => `call_${part}`;

/** The column that is true wherever one of the parts that are read has a value. */
export const anyPart = "call_either";
