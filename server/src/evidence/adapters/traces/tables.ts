import type { Entry, ForeignFile } from "../parts/adapter.ts";
import { parquetRows } from "../parts/parquetRows.ts";
import { plainJson } from "../parts/plainJson.ts";
import { tableRows } from "../parts/tableRows.ts";
import { isFields, type Fields } from "../parts/untrusted.ts";

/** A row of a table by column, counted from 1, or why it is none, or bytes of one that is still being written. */
type RowRecord =
  | { readonly record: number; readonly value: Fields }
  | Extract<Entry, { readonly problem: string } | { readonly waiting: number }>;

type TableKind = "csv" | "tsv" | "parquet";

/** What kind of table the file is; undefined for one that is none. */
export function tableKind({ name, head }: ForeignFile): TableKind | undefined {
  if (head.toString("latin1", 0, 4) === "PAR1") return "parquet";
  return /\.csv$/i.test(name) ? "csv" : /\.tsv$/i.test(name) ? "tsv" : undefined;
}

/**
 * The rows of a table, without the columns in which a row has nothing: cells of text stay texts, and values of Parquet are as
 * JSON has them.
 * @throws HarnessError badInput
 */
export function rowRecords(file: ForeignFile, kind: TableKind): AsyncGenerator<RowRecord> {
  return kind === "parquet" ? parquetRecords(file) : textRecords(file, kind);
}

async function* textRecords(file: ForeignFile, kind: "csv" | "tsv"): AsyncGenerator<RowRecord> {
  let [header, record] = [0, 0];
  for await (const item of tableRows(file, kind)) {
    if (item.type === "header") header = item.line;
    else if (item.type === "waiting") yield { waiting: item.bytes };
    else if (item.type === "row")
      yield {
        record: ++record,
        value: Object.fromEntries(Object.entries(item.values).filter(([, cell]) => cell !== "")),
      };
    // An index that is a column as well stands in the header twice, and says the same in both.
    else if (item.line !== header)
      yield { record: ++record, problem: item.reason, raw: item.fields.join(",").slice(0, 4096) };
  }
}

async function* parquetRecords(file: ForeignFile): AsyncGenerator<RowRecord> {
  let record = 0;
  for await (const row of parquetRows(file)) {
    const value = withoutNulls(plainJson(row));
    yield { record: ++record, value: isFields(value) ? value : {} };
  }
}

/** A column of objects names in each row the keys of all rows, null where a row lacks one. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (inner === null ? [] : [[key, withoutNulls(inner)]])),
  );
}
