import { openParquet, type ParquetRow } from "../../../reading/parquet.ts";
import type { ForeignFile } from "./adapter.ts";

/**
 * All rows in file order; those that a look at the file has read are not read again.
 * @throws HarnessError notFound, badInput
 */
export async function* parquetRows(file: ForeignFile): AsyncGenerator<ParquetRow> {
  const { rows, rowCount } = await file.parquet();
  yield* rows;
  if (rows.length === rowCount) return;
  const parquet = await openParquet(file.path);
  try {
    let seen = rows.length;
    for await (const page of parquet.pages()) {
      yield* page.slice(seen);
      seen = Math.max(0, seen - page.length);
    }
  } finally {
    await parquet.close();
  }
}
