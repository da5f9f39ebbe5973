import { size } from "../../../shared/words/numbers.ts";
import { backslashesBefore, closingQuote } from "./jsonScan.ts";

/** One value as it lies in the stream, not decoded; or bytes that are none, with the reason. */
export type Cut =
  | { readonly type: "value"; readonly start: number; readonly end: number; readonly bytes: Buffer }
  | CutProblem;

export interface CutProblem {
  readonly type: "problem";
  readonly start: number;
  readonly end: number;
  readonly reason: string;
  /** Cut off by the end of the stream: it may still be written. */
  readonly torn: boolean;
}

export type CutMode = "elements" | "concatenated";

/** How often bytes behind a value that never ends are looked at again for the next one. */
const maxRescans = 100;

/**
 * Cuts a stream of bytes into JSON values by their braces, brackets and quotes only: the elements of one array, or
 * values that stand one after another. Holds one value of up to `limit` bytes at a time.
 */
export class ValueCutter {
  /** Of elements: there was an array, or nothing so far. */
  isArray = true;
  readonly #mode: CutMode;
  readonly #limit: number;
  #position: number;
  #kind: "none" | "container" | "string" | "run" = "none";
  #depth = 0;
  #inString = false;
  #escaped = false;
  #start = 0;
  #parts: Buffer[] = [];
  #held = 0;
  /** Of an array: whether it has begun, and what may come next in it. */
  #array: "before" | "first" | "value" | "separator" | "closed" | "ignored" = "before";
  #rescans = 0;

  /** @param offset where the first byte that is pushed lies */
  constructor(mode: CutMode, offset: number, limit: number) {
    this.#mode = mode;
    this.#position = offset;
    this.#limit = limit;
  }

  *push(chunk: Buffer): Generator<Cut> {
    const base = this.#position;
    let [i, from] = [0, 0];
    while (i < chunk.length) {
      if (this.#inString) {
        const end = this.#throughString(chunk, i);
        if (end !== -1 && this.#kind === "string") yield this.#take(chunk.subarray(from, end), base + end);
        i = end === -1 ? chunk.length : end;
        continue;
      }
      const byte = chunk[i] ?? 0;
      if (this.#kind === "container") {
        i++;
        if (this.#closes(byte)) yield this.#take(chunk.subarray(from, i), base + i);
      } else if (this.#kind === "run") {
        if (isDelimiter(byte)) yield this.#take(chunk.subarray(from, i), base + i);
        else i++;
      } else {
        if (!isSpace(byte)) {
          const problem = this.#mode === "elements" ? this.#inArray(byte) : undefined;
          if (problem !== undefined) yield { ...problem, start: base + i, end: base + i + 1 };
          if (this.#mode === "concatenated" || this.#array === "separator") this.#begin(byte, base + i);
          from = i;
        }
        i++;
      }
    }
    this.#position = base + chunk.length;
    if (this.#kind !== "none") this.#hold(chunk.subarray(from));
  }

  /** What the end of the stream cuts off. */
  *end(): Generator<Cut> {
    if (this.#kind === "run") yield this.#take(Buffer.alloc(0), this.#position);
    // Pushing what follows a damaged value may begin another one.
    for (let open = this.#isOpen(); open; open = this.#isOpen()) {
      const [start, stop] = [this.#start, this.#position];
      const text = this.#held > this.#limit ? Buffer.alloc(0) : Buffer.concat(this.#parts);
      // A writer that was killed leaves half a value; what the next one wrote begins on a line of its own.
      const mayFollow = this.#mode === "concatenated" && this.#rescans++ < maxRescans;
      const next = mayFollow ? text.indexOf("\n{", 1) : -1;
      const end = next === -1 ? stop : start + next + 1;
      this.#forget();
      yield { type: "problem", start, end, reason: tornReason, torn: next === -1 };
      if (next === -1) break;
      this.#position = end;
      yield* this.push(text.subarray(next + 1));
    }
    if (this.#mode === "elements" && this.#array !== "closed" && this.#array !== "ignored")
      yield {
        type: "problem",
        start: this.#position,
        end: this.#position,
        reason: this.#array === "before" ? "there is no array in it" : "the array is not closed",
        torn: true,
      };
  }

  #isOpen(): boolean {
    return this.#kind !== "none";
  }

  /** Index after the closing quote, or -1 when it is in a later chunk. */
  #throughString(chunk: Buffer, at: number): number {
    const from = this.#escaped ? at + 1 : at;
    this.#escaped = false;
    const close = closingQuote(chunk, from);
    if (close === -1) {
      this.#escaped = backslashesBefore(chunk, from, chunk.length) % 2 === 1;
      return -1;
    }
    this.#inString = false;
    return close + 1;
  }

  #closes(byte: number): boolean {
    if (byte === 0x22) this.#inString = true;
    else if (byte === 0x7b || byte === 0x5b) this.#depth++;
    else if (byte === 0x7d || byte === 0x5d) return --this.#depth === 0;
    return false;
  }

  #begin(byte: number, position: number): void {
    this.#start = position;
    const opens = byte === 0x7b || byte === 0x5b;
    this.#kind = opens ? "container" : byte === 0x22 ? "string" : "run";
    this.#depth = opens ? 1 : 0;
    this.#inString = byte === 0x22;
  }

  /** Follows a byte between the elements of the array. Afterwards, "separator" means that a value begins with it. */
  #inArray(byte: number): Pick<CutProblem, "type" | "reason" | "torn"> | undefined {
    const before = this.#array;
    const problem = (reason: string) => ({ type: "problem", reason, torn: false }) as const;
    if (before === "ignored") return undefined;
    if (before === "closed") {
      this.#array = "ignored";
      return problem("there is text after the array");
    }
    if (before === "before") {
      this.isArray = byte === 0x5b;
      this.#array = this.isArray ? "first" : "ignored";
    } else if (byte === 0x5d) {
      this.#array = "closed";
      if (before === "value") return problem("a value is missing before ]");
    } else if (byte === 0x2c) {
      this.#array = "value";
      if (before !== "separator") return problem("a value is missing before the comma");
    } else {
      this.#array = "separator";
      if (before === "separator") return problem("a comma is missing before it");
    }
    return undefined;
  }

  #hold(part: Buffer): void {
    this.#held += part.length;
    if (this.#held <= this.#limit) this.#parts.push(part);
    else this.#parts = [];
  }

  #take(tail: Buffer, end: number): Cut {
    const [start, length] = [this.#start, this.#held + tail.length];
    const bytes = this.#held > 0 ? Buffer.concat([...this.#parts, tail]) : tail;
    this.#forget();
    if (length <= this.#limit) return { type: "value", start, end, bytes };
    const reason = `it is longer than ${size(this.#limit)}`;
    return { type: "problem", start, end, reason, torn: false };
  }

  #forget(): void {
    this.#parts = [];
    this.#held = 0;
    this.#kind = "none";
    this.#depth = 0;
    this.#inString = this.#escaped = false;
  }
}

const tornReason = "it ends in the middle of a value";
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
/** What ends a number or a word; the quote, because a string begins with it. */
const isDelimiter = (byte: number): boolean =>
  isSpace(byte) ||
  byte === 0x22 ||
  byte === 0x2c ||
  byte === 0x5b ||
  byte === 0x5d ||
  byte === 0x7b ||
  byte === 0x7d;
