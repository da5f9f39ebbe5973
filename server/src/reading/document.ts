import { constants } from "node:buffer";
import { size } from "../../../shared/words/numbers.ts";
import { HarnessError, messageOf } from "../base/errors.ts";
import { collectBytes, firstInvalidUtf8, type ByteStream } from "./bytes.ts";
import { literalPaths, nullLiterals, scanJson } from "./jsonScan.ts";

/** Bytes of one JSON document that is decoded as a whole. */
const maxDocumentBytes = 256 * 1024 * 1024;
/** Nesting that everything behind the reader can walk, `JSON.stringify` included. */
export const maxJsonDepth = 1000;
/** Values of one document, so that a few bytes each cannot fill the memory. */
const maxValues = 30_000_000;
const shownPaths = 20;

/** NaN, Infinity and -Infinity that were read as null, because JSON has no such numbers. */
export interface NonFinite {
  readonly count: number;
  /** Where the first 20 stand, as `rows[3].reward`. */
  readonly paths: readonly string[];
}

/** A decoded value, or why these bytes are none. */
export type JsonResult =
  | { readonly type: "value"; readonly value: unknown; readonly nonFinite?: NonFinite }
  | {
      readonly type: "bad";
      readonly reason: string;
      /** Byte where it stands, counted from the start of these bytes, where that is known. */
      readonly at?: number;
      /** It ends in the middle of a value: cut off, or still being written. */
      readonly torn: boolean;
    };

/**
 * Decodes one JSON value. Of a key that occurs twice the last one counts. Never throws on any bytes, and refuses what
 * nests deeper than `maxDepth`.
 */
export function parseJson(bytes: Buffer, maxDepth = maxJsonDepth): JsonResult {
  const invalid = firstInvalidUtf8(bytes);
  if (invalid !== undefined) return bad("it is not valid UTF-8", invalid);
  const scan = scanJson(bytes, maxDepth);
  if (scan.tooDeepAt !== undefined) return bad(`it nests deeper than ${maxDepth} levels`, scan.tooDeepAt);
  if (scan.values > maxValues) return bad(`it has more than ${maxValues} values`);
  const text = (scan.literals > 0 ? nullLiterals(bytes, scan) : bytes).toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    if (scan.literals === 0) return { type: "value", value };
    const nonFinite = { count: scan.literals, paths: literalPaths(bytes, shownPaths) };
    return { type: "value", value, nonFinite };
  } catch (e) {
    return jsonProblem(text, messageOf(e));
  }
}

const bad = (reason: string, at?: number, torn = false): JsonResult => ({
  type: "bad",
  reason,
  ...(at === undefined ? {} : { at }),
  torn,
});

function jsonProblem(text: string, message: string): JsonResult {
  const written = text.trimEnd().length;
  if (written === 0) return bad("it is empty", 0, true);
  const found = / at position (\d+)/.exec(message)?.[1];
  const position = found === undefined ? undefined : Number(found);
  if (/unexpected end|unterminated/i.test(message) || (position !== undefined && position >= written))
    return bad("it ends in the middle of a value", Buffer.byteLength(text), true);
  const what = message
    .replace(/ (in JSON )?at position \d+.*$/s, "")
    .replace(/, (\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s, "");
  const at = position === undefined ? undefined : Buffer.byteLength(text.slice(0, position));
  return bad(`it is not JSON (${what.slice(0, 160)})`, at);
}

/** " at byte 17", or nothing when it is not known. `offset` is where the bytes lie. */
export function placeOf(at: number | undefined, offset: number): string {
  return at === undefined ? "" : ` at byte ${at + offset}`;
}

export interface DocumentOptions {
  /** The file or member, for messages. */
  readonly name: string;
  readonly maxBytes?: number;
  readonly maxDepth?: number;
}

export interface JsonDocument {
  readonly value: unknown;
  /** A problem to report: numbers of the document that could not be kept. */
  readonly nonFinite?: NonFinite;
}

const utf8Bom = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads a whole JSON document of up to 256 MiB.
 * @throws HarnessError badInput
 */
export async function readDocument(stream: ByteStream, options: DocumentOptions): Promise<JsonDocument> {
  const { name, maxDepth } = options;
  const limit = Math.min(options.maxBytes ?? maxDocumentBytes, constants.MAX_STRING_LENGTH);
  const all = await collectBytes(stream, limit);
  if (all === undefined)
    throw new HarnessError(
      "badInput",
      `${name} is larger than ${size(limit)}, the most that is read as one JSON document; split it or write it as JSON lines.`,
    );
  const skipped = all.subarray(0, 3).equals(utf8Bom) ? 3 : 0;
  const result = parseJson(skipped > 0 ? all.subarray(skipped) : all, maxDepth);
  if (result.type === "bad")
    throw new HarnessError(
      "badInput",
      `${name} cannot be read: ${result.reason}${placeOf(result.at, skipped)}; write it again as valid JSON.`,
    );
  const { value, nonFinite } = result;
  return { value, ...(nonFinite === undefined ? {} : { nonFinite }) };
}
