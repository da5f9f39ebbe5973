import { HarnessError } from "../base/errors.ts";
import { bufferOf, type ByteStream } from "./bytes.ts";
import { maxJsonDepth, parseJson, placeOf, type NonFinite } from "./document.ts";
import { ValueCutter, type Cut, type CutMode } from "./valueCutter.ts";

/** Bytes of one element of a stream; a longer one is a problem, and is never held. */
const maxElementBytes = 64 * 1024 * 1024;

/** One value of a stream of values, or a stretch of bytes that is none. Offsets count from the start of the file. */
export type JsonItem =
  | {
      readonly type: "value";
      /** Counts values and problems, from 0. */
      readonly index: number;
      readonly start: number;
      /** Where the byte after it lies: where `readConcatenated` may resume. */
      readonly end: number;
      readonly value: unknown;
      readonly nonFinite?: NonFinite;
    }
  | {
      readonly type: "problem";
      readonly index: number;
      readonly start: number;
      readonly end: number;
      /** A clause: "it is not JSON (…)". */
      readonly reason: string;
      /** Cut off by the end of the stream: it may still be written. Only the last item can be. */
      readonly torn: boolean;
    };

export interface ElementsOptions {
  /** The file or member, for messages. */
  readonly name: string;
  readonly maxElementBytes?: number;
  readonly maxDepth?: number;
  /** Where in the file the first byte of the stream lies. */
  readonly offset?: number;
}

/**
 * Decodes the elements of a file that is one JSON array, of any size, one at a time. A damaged element is a problem, and
 * reading goes on behind it.
 * @throws HarnessError badInput when the file is no array
 */
export function readElements(stream: ByteStream, options: ElementsOptions): AsyncGenerator<JsonItem> {
  return readValues("elements", stream, options);
}

/**
 * Decodes JSON values that stand one after another, over any number of lines, with offsets to resume at. A damaged value
 * is a problem, and reading goes on behind it.
 */
export function readConcatenated(stream: ByteStream, options: ElementsOptions): AsyncGenerator<JsonItem> {
  return readValues("concatenated", stream, options);
}

async function* readValues(
  mode: CutMode,
  stream: ByteStream,
  options: ElementsOptions,
): AsyncGenerator<JsonItem> {
  const { offset = 0, maxDepth = maxJsonDepth } = options;
  const cutter = new ValueCutter(mode, offset, options.maxElementBytes ?? maxElementBytes);
  let index = 0;
  const decode = (cut: Cut): JsonItem => itemOf(cut, index++, maxDepth);
  let first = offset === 0;
  for await (const chunk of withoutBom(stream, first)) {
    first = false;
    for (const cut of cutter.push(chunk)) yield decode(cut);
    if (!cutter.isArray)
      throw new HarnessError(
        "badInput",
        `${options.name} is not a JSON array: it does not begin with [; give a file that is one.`,
      );
  }
  for (const cut of cutter.end()) yield decode(cut);
}

function itemOf(cut: Cut, index: number, maxDepth: number): JsonItem {
  if (cut.type === "problem") return { ...cut, index };
  const { start, end } = cut;
  const result = parseJson(cut.bytes, maxDepth);
  if (result.type === "bad")
    return {
      type: "problem",
      index,
      start,
      end,
      reason: `${result.reason}${placeOf(result.at, start)}`,
      torn: false,
    };
  const { value, nonFinite } = result;
  return { type: "value", index, start, end, value, ...(nonFinite === undefined ? {} : { nonFinite }) };
}

const utf8Bom = Buffer.from([0xef, 0xbb, 0xbf]);

/** Chunks of the stream with a byte order mark at its start blanked out, so that offsets stay true. */
async function* withoutBom(stream: ByteStream, atStart: boolean): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = atStart ? Buffer.alloc(0) : undefined;
  for await (const bytes of stream) {
    let chunk = bufferOf(bytes);
    if (head !== undefined) {
      chunk = Buffer.concat([head, chunk]);
      if (chunk.length < utf8Bom.length) {
        head = chunk;
        continue;
      }
      if (chunk.subarray(0, 3).equals(utf8Bom)) chunk.fill(0x20, 0, 3);
      head = undefined;
    }
    yield chunk;
  }
  if (head !== undefined && head.length > 0) yield head;
}
