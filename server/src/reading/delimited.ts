import { pipeline } from "node:stream/promises";
import { CsvError, parse } from "csv-parse";
import { counted, size } from "../../../shared/words/numbers.ts";
import { HarnessError, messageOf } from "../base/errors.ts";
import { bufferOf, firstInvalidUtf8, type ByteStream } from "./bytes.ts";

export interface DelimitedOptions {
  /** The file, for messages. */
  readonly name: string;
  readonly delimiter: "," | "\t" | ";";
  /**
   * Whether a field may stand in double quotes, with delimiters and newlines in it. Without this a quote is a character
   * like any other: for tables of free text, where a stray one must not swallow lines.
   */
  readonly quoted: boolean;
  /** Names of the columns when the file has no header line. */
  readonly columns?: readonly string[];
  /** Characters of one record. */
  readonly maxRecordLength?: number;
}

/** Lines count from 1. Every value is a text, as it stands in the file. */
export type DelimitedItem =
  | { readonly type: "header"; readonly line: number; readonly columns: readonly string[] }
  | {
      readonly type: "row";
      /** Where the record begins. */
      readonly line: number;
      readonly values: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "problem";
      readonly line: number;
      /** A clause: "it has 3 fields, but the header has 5". */
      readonly reason: string;
      /** What stood there, not assigned to columns. */
      readonly fields: readonly string[];
    };

/**
 * Reads a table record by record in bounded memory: first the header, then a row or a problem for each record. Blank
 * lines are passed over. A record with more or fewer fields than the header is a problem, never a shifted row. A first column
 * without a name that counts the rows, as pandas and R write it, is left out.
 * @throws HarnessError badInput when the bytes are not UTF-8, a quote is never closed, or a record is too long
 */
export async function* readDelimited(
  stream: ByteStream,
  options: DelimitedOptions,
): AsyncGenerator<DelimitedItem> {
  const { name, delimiter, quoted, maxRecordLength = 4 * 1024 * 1024 } = options;
  // The parser runs ahead of what is read from it: a failure concerns the record behind the last one parsed.
  let parsedLines = 0;
  const parser = parse({
    bom: true,
    delimiter,
    quote: quoted ? '"' : null,
    escape: quoted ? '"' : null,
    relax_quotes: true,
    relax_column_count: true,
    // Named, because the parser would take what ends the first line for all of them.
    record_delimiter: ["\r\n", "\n"],
    max_record_size: maxRecordLength,
    info: true,
    on_record: (record: string[], { lines }) => {
      parsedLines = lines;
      return record;
    },
  });
  const done = pipeline(utf8(stream, name), parser);
  done.catch(() => undefined); // Reading the parser throws the same error.
  const table = new Table(options.columns);
  let nextLine = 1;
  try {
    for await (const chunk of parser) {
      const { fields, lines } = recordOf(chunk);
      const line = nextLine;
      nextLine = lines + 1;
      if (fields.length > 1 || (fields[0] ?? "").trim() !== "") yield* table.take({ line, fields });
    }
    yield* table.end();
    await done;
  } catch (e) {
    throw refused(e, name, parsedLines + 1, maxRecordLength);
  } finally {
    parser.destroy();
  }
}

interface Fields {
  readonly line: number;
  readonly fields: readonly string[];
}

interface Header {
  readonly columns: readonly string[];
  /** How many fields at the beginning of each record belong to no column. */
  readonly skipped: number;
}

/** What the records of a table are, one after the other. */
class Table {
  #header: Header | undefined;
  /** A header whose first name is missing waits for the first row, which says whether that column counts the rows. */
  #held: Fields | undefined;

  constructor(columns: readonly string[] | undefined) {
    this.#header = columns === undefined ? undefined : { columns, skipped: 0 };
  }

  *take(record: Fields): Generator<DelimitedItem> {
    const { fields, line } = record;
    if (this.#header === undefined && this.#held === undefined) {
      if (fields.length > 1 && isIndexName(fields[0])) this.#held = record;
      else yield* told((this.#header = headerOf(record, [])), record);
      return;
    }
    if (this.#header === undefined && this.#held !== undefined)
      yield* told((this.#header = headerOf(this.#held, fields)), this.#held);
    if (this.#header !== undefined) yield rowOf(this.#header, fields, line);
  }

  *end(): Generator<DelimitedItem> {
    if (this.#header === undefined && this.#held !== undefined)
      yield* told(headerOf(this.#held, []), this.#held);
  }
}

/** pandas calls such a column so when it reads it, and writes that name when it writes it again. */
const isIndexName = (name = ""): boolean => /^(?:|Unnamed: 0)$/.test(name.trim());

/** The columns; a first one without a name whose first cell is a number is left out. */
function headerOf({ fields }: Fields, first: readonly string[]): Header {
  const skipped = first.length === fields.length && /^\d+$/.test(first[0]?.trim() ?? "") ? 1 : 0;
  return { columns: columnNames(fields.slice(skipped)), skipped };
}

function* told({ columns, skipped }: Header, { line, fields }: Fields): Generator<DelimitedItem> {
  yield { type: "header", line, columns };
  const reason = "its header names a column twice or leaves one without a name";
  if (columns.some((column, i) => column !== fields[i + skipped]?.trim()))
    yield { type: "problem", line, reason, fields };
}

function rowOf({ columns, skipped }: Header, fields: readonly string[], line: number): DelimitedItem {
  const named = columns.length + skipped;
  if (fields.length !== named)
    return {
      type: "problem",
      line,
      reason: `it has ${counted(fields.length, "field")}, but the header has ${named}`,
      fields,
    };
  return {
    type: "row",
    line,
    values: Object.fromEntries(columns.map((column, i) => [column, fields[i + skipped] ?? ""])),
  };
}

/** Names that tell the columns apart: a second "loss" is "loss (2)", one without a name "column 3". */
function columnNames(fields: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return fields.map((field, i) => {
    const name = field.trim() === "" ? `column ${i + 1}` : field.trim();
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

/** What the parser emits with `info`: the fields, and how many lines it has read up to their end. */
function recordOf(chunk: unknown): { readonly fields: readonly string[]; readonly lines: number } {
  if (typeof chunk === "object" && chunk !== null && "record" in chunk && "info" in chunk) {
    const { record, info } = chunk;
    if (Array.isArray(record) && typeof info === "object" && info !== null && "lines" in info)
      return {
        fields: record.map((field) => (typeof field === "string" ? field : "")),
        lines: Number(info.lines),
      };
  }
  throw new Error("csv-parse emits records in another shape.");
}

/** The same bytes, refused where they stop being UTF-8. */
async function* utf8(stream: ByteStream, name: string): AsyncGenerator<Buffer> {
  let [offset, held] = [0, Buffer.alloc(0)];
  const check = (bytes: Buffer): Buffer => {
    const at = firstInvalidUtf8(bytes);
    if (at !== undefined)
      throw new HarnessError(
        "badInput",
        `${name} is not valid UTF-8 at byte ${offset + at}; save it as UTF-8.`,
      );
    offset += bytes.length;
    return bytes;
  };
  for await (const chunk of stream) {
    const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : bufferOf(chunk);
    const whole = bytes.length - unfinished(bytes);
    held = Buffer.from(bytes.subarray(whole));
    if (whole > 0) yield check(bytes.subarray(0, whole));
  }
  if (held.length > 0) yield check(held);
}

/** How many bytes at the end begin a character that the next chunk may finish. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

function refused(e: unknown, name: string, line: number, limit: number): unknown {
  if (!(e instanceof CsvError)) return e;
  const cause = { cause: e };
  if (e.code === "CSV_MAX_RECORD_SIZE")
    return new HarnessError(
      "badInput",
      `The record at line ${line} of ${name} is longer than ${size(limit)}: a quote is not closed, or this is not a table.`,
      cause,
    );
  if (e.code === "CSV_QUOTE_NOT_CLOSED")
    return new HarnessError(
      "badInput",
      `The record at line ${line} of ${name} opens a quote that is not closed; close it, or read the table without quotes.`,
      cause,
    );
  return new HarnessError(
    "badInput",
    `The record at line ${line} of ${name} cannot be read (${messageOf(e)}).`,
    cause,
  );
}
