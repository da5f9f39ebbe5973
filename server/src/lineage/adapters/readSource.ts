import { isUtf8 } from "node:buffer";
import { open } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { z } from "zod";
import { parseJson as decodeJson } from "../../reading/document.ts";
import type { ForeignProblem } from "./foreign.ts";

/** Larger files are refused: a lineage is a table of versions, not an archive of evidence. */
const fileLimitBytes = 256 * 1024 * 1024;
/** No tool writes such nesting; deeper documents are an attack on whoever walks them. */
const depthLimit = 256;

export type Read<T> = { readonly value: T; readonly problems: readonly ForeignProblem[] };

/** The text of a file. Bytes that are not UTF-8 are shown as �, and named. */
export async function readText(path: string, name: string, limit = fileLimitBytes): Promise<Read<string>> {
  const file = await open(path, "r");
  let bytes: Buffer;
  try {
    const { size } = await file.stat();
    if (size > limit)
      return { value: "", problems: [{ file: name, line: null, reason: `it is over ${limit} bytes` }] };
    bytes = await file.readFile();
  } finally {
    await file.close();
  }
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const problems: ForeignProblem[] = [];
  if (text.includes("\uFFFD") && !isUtf8(bytes)) {
    const line = text.slice(0, text.indexOf("\uFFFD")).split("\n").length;
    problems.push({
      file: name,
      line,
      reason: "it contains bytes that are not UTF-8; EvoTrainer shows them as \uFFFD",
    });
  }
  return { value: text, problems };
}

/** The start of a file as text, to tell its format by. */
export async function readHead(path: string, bytes = 65_536): Promise<string> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.alloc(bytes);
    const { bytesRead } = await file.read(buffer, 0, bytes, 0);
    return buffer.toString("utf8", 0, bytesRead).replace(/^\uFEFF/, "");
  } finally {
    await file.close();
  }
}

/**
 * Index after the JSON value at `from`, found by its brackets and quotes; a sentence when it has no end. Other than the
 * shared readers it takes no string for one that goes over a line: a torn record must not swallow the next.
 */
function valueEnd(text: string, from: number): number | string {
  let depth = 0;
  let i = from;
  while (i < text.length) {
    const c = text.charCodeAt(i);
    if (c === 0x22) {
      const close = stringEnd(text, i + 1);
      if (close < 0) return "a string in it is not closed";
      i = close;
    } else {
      if (c === 0x7b || c === 0x5b) depth++;
      else if (c === 0x7d || c === 0x5d) depth--;
      // A bare scalar at the top ends with its line.
      else if (depth > 0 || (i + 1 < text.length && text.charCodeAt(i + 1) !== 0x0a)) {
        i++;
        continue;
      }
      i++;
    }
    if (depth <= 0) return i;
  }
  return "it ends in the middle";
}

function stringEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x5c) i++;
    else if (c === 0x22) return i + 1;
    else if (c === 0x0a) return -1;
  }
  return -1;
}

export interface JsonDocument {
  readonly value: unknown;
  readonly line: number;
}

/** NaN and Infinity, which Python writes and JSON does not have, become null. */
export function parseJson(text: string, name: string): Read<unknown> {
  const { value, problems } = parseJsonDocuments(text, name);
  const [first] = value;
  if (problems.length > 0 || first === undefined)
    return {
      value: undefined,
      problems: problems.length > 0 ? problems.slice(0, 1) : [{ file: name, line: 1, reason: "it is empty" }],
    };
  return {
    value: first.value,
    problems:
      value.length === 1
        ? []
        : [{ file: name, line: value[1]?.line ?? null, reason: "text follows the document" }],
  };
}

/** JSON values that follow one another, each over as many lines as it likes. After a broken one it goes on at the next line that opens one. */
export function parseJsonDocuments(text: string, name: string): Read<readonly JsonDocument[]> {
  const documents: JsonDocument[] = [];
  const problems: ForeignProblem[] = [];
  const blank = /[\s\u001e]*/y;
  let at = 0;
  let line = 1;
  const advance = (to: number): void => {
    for (let i = text.indexOf("\n", at); i >= 0 && i < to; i = text.indexOf("\n", i + 1)) line++;
    at = to;
  };
  for (;;) {
    blank.lastIndex = at;
    blank.exec(text);
    advance(blank.lastIndex);
    if (at >= text.length) break;
    const found = documentAt(text, at);
    if (typeof found !== "string") {
      documents.push({ value: found.value, line });
      advance(found.end);
      continue;
    }
    problems.push({ file: name, line, reason: found });
    const next = /\n[{[]/.exec(text.slice(at + 1));
    // Every broken document may cost a pass over the rest of the file.
    if (next === null || problems.length >= 100) break;
    advance(at + 1 + next.index + 1);
  }
  return { value: documents, problems };
}

function documentAt(text: string, at: number): { value: unknown; end: number } | string {
  const end = valueEnd(text, at);
  if (typeof end === "string") return end;
  const result = decodeJson(Buffer.from(text.slice(at, end)), depthLimit);
  return result.type === "bad" ? result.reason : { value: result.value, end };
}

/** One JSON value a line; a broken line does not affect the others. */
export function parseJsonLines(text: string, name: string): Read<readonly JsonDocument[]> {
  const documents: JsonDocument[] = [];
  const problems: ForeignProblem[] = [];
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const found = documentAt(line.trim(), 0);
    if (typeof found === "string") problems.push({ file: name, line: i + 1, reason: found });
    else if (found.end < line.trim().length)
      problems.push({ file: name, line: i + 1, reason: "text follows the value" });
    else documents.push({ value: found.value, line: i + 1 });
  }
  return { value: documents, problems };
}

export interface TableRow {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}

const Record_ = z.object({ record: z.array(z.string()), info: z.object({ lines: z.int() }) });

/**
 * A table with a header line. Quotes mean nothing in TSV: the tools write what an agent said as it is. A row with another
 * number of cells than the header is set aside with its line.
 */
export function parseTable(text: string, name: string, delimiter: "," | "\t"): Read<Table> {
  const problems: ForeignProblem[] = [];
  const parsed: unknown = parse(text, {
    delimiter,
    quote: delimiter === "\t" ? false : '"',
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    info: true,
    record_delimiter: ["\r\n", "\n"],
    on_skip: (e) => {
      const line = e !== undefined && "lines" in e && typeof e["lines"] === "number" ? e["lines"] : null;
      problems.push({ file: name, line, reason: `not a row: ${e?.message ?? "it cannot be read"}` });
      return undefined;
    },
  });
  const records = z.array(Record_).parse(parsed);
  const [header, ...body] = records;
  if (header === undefined)
    return {
      value: { columns: [], rows: [] },
      problems: [...problems, { file: name, line: 1, reason: "it is empty" }],
    };
  const columns = header.record.map((c) => c.trim());
  const rows: TableRow[] = [];
  for (const { record, info } of body) {
    if (record.every((cell) => cell.trim() === "")) continue;
    if (record.length === columns.length)
      rows.push({ line: info.lines, cells: Object.fromEntries(columns.map((c, i) => [c, record[i] ?? ""])) });
    else
      problems.push({
        file: name,
        line: info.lines,
        reason: `it has ${record.length} of ${columns.length} cells: ${JSON.stringify(record.join(" ").slice(0, 60))}`,
      });
  }
  return { value: { columns, rows }, problems };
}

/** The value at a field of a document: a key as it is written, else a dotted path. */
export function fieldOf(value: unknown, path: string): unknown {
  if (!isRecord(value)) return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  let at: unknown = value;
  for (const part of path.split(".")) {
    if (Array.isArray(at)) at = at[Number(part)] as unknown;
    else if (isRecord(at) && Object.hasOwn(at, part)) at = at[part];
    else return undefined;
  }
  return at;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text that is not empty, or undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** A finite number, or null: a text that holds one counts too. */
export function finite(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
