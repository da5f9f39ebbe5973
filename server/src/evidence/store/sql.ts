import type * as DuckDb from "@duckdb/node-api";
import type { DuckDBType, DuckDBValue } from "@duckdb/node-api";

/** A value bound to a `?`: numbers bind as DOUBLE, bigints as BIGINT, lists as VARCHAR[] or BIGINT[]. */
export type SqlValue = string | number | bigint | boolean | null | readonly string[] | readonly bigint[];

/** SQL with one `?` per parameter. Text from evidence or from a user only ever travels in the parameters. */
export interface SqlFragment {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** The versions whose rows alone decide the answer, which is kept until one of theirs is written; else until any is. */
  readonly of?: readonly string[] | undefined;
}

export type Row = Readonly<Record<string, unknown>>;

/** Binds parameters of a fragment on a connection of `store.write`. */
export function makeBinder(duckdb: typeof DuckDb) {
  return (params: readonly SqlValue[]): { values: DuckDBValue[]; types: DuckDBType[] } => {
    const values: DuckDBValue[] = [];
    const types: DuckDBType[] = [];
    const add = (value: DuckDBValue, type: DuckDBType): void => {
      values.push(value);
      types.push(type);
    };
    for (const p of params) {
      if (p === null || typeof p === "string") add(p, duckdb.VARCHAR);
      else if (typeof p === "number") add(p, duckdb.DOUBLE);
      else if (typeof p === "bigint") add(p, duckdb.BIGINT);
      else if (typeof p === "boolean") add(p, duckdb.BOOLEAN);
      else
        add(duckdb.listValue([...p]), duckdb.LIST(typeof p[0] === "bigint" ? duckdb.BIGINT : duckdb.VARCHAR));
    }
    return { values, types };
  };
}
