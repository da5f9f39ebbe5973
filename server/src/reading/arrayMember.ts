import { size } from "../../../shared/words/numbers.ts";
import { collectBytes, bufferOf, type ByteStream } from "./bytes.ts";
import { HarnessError } from "../base/errors.ts";
import { readDocument, type DocumentOptions, type JsonDocument } from "./document.ts";
import { readElements, type JsonItem } from "./elements.ts";

/** Bytes of a document beside its long array, decoded as a whole. */
const maxAroundBytes = 64 * 1024 * 1024;

/**
 * Decodes a JSON object of any size without the elements of the array that it has under a key: the array is empty.
 * @throws HarnessError badInput
 */
export async function readAround(
  stream: ByteStream,
  key: string,
  options: DocumentOptions,
): Promise<JsonDocument> {
  const limit = options.maxBytes ?? maxAroundBytes;
  const bytes = await collectBytes(labelProgramsOf(stream, key), limit);
  if (bytes === undefined)
    throw new HarnessError(
      "badInput",
      `${options.name} has more than ${size(limit)} beside its ${key}; split it.`,
    );
  return readDocument([bytes], options);
}

/**
 * Decodes the elements of the array that a JSON object of any size has under a key, one at a time; none when there is no
 * such array.
 * @throws HarnessError badInput
 */
export async function* readWithin(
  stream: ByteStream,
  key: string,
  options: { readonly name: string },
): AsyncGenerator<JsonItem> {
  yield* readElements(insideOf(stream, key), options);
}

async function* labelProgramsOf(stream: ByteStream, key: string): AsyncGenerator<Buffer> {
  for await (const { inside, bytes } of piecesOf(stream, key)) if (!inside) yield bytes;
}

const emptyArray = Buffer.from("[]");

async function* insideOf(stream: ByteStream, key: string): AsyncGenerator<Buffer> {
  let found = false;
  for await (const { inside, bytes } of piecesOf(stream, key)) {
    if (inside) yield bytes;
    else if (found) return;
    found ||= inside;
  }
  if (!found) yield emptyArray;
}

interface Piece {
  readonly inside: boolean;
  readonly bytes: Buffer;
}

async function* piecesOf(stream: ByteStream, key: string): AsyncGenerator<Piece> {
  const splitter = new ArraySplitter(key);
  for await (const chunk of stream) yield* splitter.push(bufferOf(chunk));
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, openBracket, closeBrace, closeBracket] = [0x7b, 0x5b, 0x7d, 0x5d];
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
/** A longer key is not the one that is looked for. */
const maxKeyBytes = 256;

/** Cuts the first array under a key of the top-level object out of a stream of bytes. */
class ArraySplitter {
  readonly #key: Buffer;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The key that is being read, at depth 1 before its colon. */
  #name: number[] | undefined;
  #expectsName = false;
  /** Whether the value that comes is the one that is looked for. */
  #isNext = false;
  #state: "before" | "inside" | "after" = "before";

  constructor(key: string) {
    this.#key = Buffer.from(key);
  }

  *push(chunk: Buffer): Generator<Piece> {
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0;
      if (this.#inString) {
        i = this.#string(chunk, i);
        continue;
      }
      if (isSpace(byte)) continue;
      if (this.#isNext && byte === openBracket && this.#state === "before") {
        if (i > start) yield { inside: false, bytes: chunk.subarray(start, i) };
        yield { inside: false, bytes: emptyArray };
        start = i;
        this.#state = "inside";
      }
      if (byte !== colon) this.#isNext = false;
      this.#structure(byte);
      if (this.#state === "inside" && this.#depth === 1) {
        yield { inside: true, bytes: chunk.subarray(start, i + 1) };
        start = i + 1;
        this.#state = "after";
      }
    }
    if (start < chunk.length) yield { inside: this.#state === "inside", bytes: chunk.subarray(start) };
  }

  #structure(byte: number): void {
    if (byte === quote) {
      this.#inString = true;
      this.#name = this.#depth === 1 && this.#expectsName ? [] : undefined;
    } else if (byte === openBrace || byte === openBracket) {
      this.#depth++;
      this.#expectsName = this.#depth === 1 && byte === openBrace;
    } else if (byte === closeBrace || byte === closeBracket) this.#depth--;
    else if (byte === comma && this.#depth === 1) this.#expectsName = true;
  }

  /** Reads on in a string from `i`; the last index that belongs to it. */
  #string(chunk: Buffer, i: number): number {
    for (; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0;
      if (this.#escaped) this.#escaped = false;
      else if (byte === backslash) this.#escaped = true;
      else if (byte === quote) {
        this.#inString = false;
        if (this.#name !== undefined) {
          this.#isNext = Buffer.from(this.#name).equals(this.#key);
          this.#expectsName = false;
        }
        return i;
      }
      if (this.#name !== undefined && this.#name.length <= maxKeyBytes) this.#name.push(byte);
    }
    return i;
  }
}
