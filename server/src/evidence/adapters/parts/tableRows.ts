import { fileBytes } from "../../../reading/bytes.ts";
import { readDelimited, type DelimitedItem } from "../../../reading/delimited.ts";
import type { ForeignFile } from "./adapter.ts";

/** An item of a table, or how many bytes at its end are a row that may still be written. */
export type TableItem = DelimitedItem | { readonly type: "waiting"; readonly bytes: number };

/**
 * The header and the rows of a CSV file, or of a TSV file, in which quotes mean nothing. A last row that is too short and
 * does not end its line is no problem yet: it waits.
 * @throws HarnessError badInput
 */
export async function* tableRows(file: ForeignFile, format: "csv" | "tsv"): AsyncGenerator<TableItem> {
  const tail = { bytes: 0 };
  const rows = readDelimited(noteTail(fileBytes(file.path), tail), {
    name: file.name,
    delimiter: format === "csv" ? "," : "\t",
    quoted: format === "csv",
  });
  let held: DelimitedItem | undefined;
  for await (const item of rows) {
    if (held !== undefined) yield held;
    held = item;
  }
  // By now the stream is at its end, and the tail is what follows the last newline.
  if (held?.type === "problem" && tail.bytes > 0) yield { type: "waiting", bytes: tail.bytes };
  else if (held !== undefined) yield held;
}

const newline = 0x0a;

/** The same bytes; `tail` counts those behind the last newline so far. */
async function* noteTail(stream: AsyncIterable<Buffer>, tail: { bytes: number }): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    const last = chunk.lastIndexOf(newline);
    tail.bytes = last === -1 ? tail.bytes + chunk.length : chunk.length - last - 1;
    yield chunk;
  }
}
