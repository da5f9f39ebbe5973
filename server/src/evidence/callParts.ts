import { commandSql, fileSql, writtenSql } from "./actions.ts";

/** What conditions read of a turn's call; each is dear, and many conditions read the same. */
const parts = { command: commandSql, file: fileSql, written: writtenSql } as const;
export type CallPart = keyof typeof parts;

/** The SQL of the parts of the call of a row of the table `turns`. */
export const partSql =
  (alias: string) =>
  (part: CallPart): string =>
    parts[part](alias);

/** The columns behind `SELECT *` that hold the parts of the calls of `turns` under an alias, in a fixed order. */
export function partColumns(alias: string, read: ReadonlySet<CallPart>): readonly string[] {
  return (["command", "file", "written"] as const satisfies readonly CallPart[])
    .filter((part) => read.has(part))
    .map((part) => `${parts[part](alias)} AS ${partColumn(part)}`);
}

export const partColumn = (part: CallPart): string => `call_${part}`;
