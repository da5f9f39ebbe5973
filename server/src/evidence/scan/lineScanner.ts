import { choices } from "../contract/choices.ts";
import type { Claims } from "../contract/claims.ts";
import { powersOfFive } from "./powersOfFive.ts";
import { scanModule } from "./scanModule.ts";

/** Why `scan` came back: server/wasm/scanLines.ts says what each means. */
export const stops = { done: 0, other: 1, run: 2, rollouts: 3, turns: 4 } as const;

/** What server/wasm/scanLines.ts exports. */
interface Scan {
  init(): void;
  blockAt(): number;
  blockSize(): number;
  powersAt(): number;
  columnAt(index: number): number;
  nameSize(): number;
  runAt(): number;
  versionAt(): number;
  setRun(bytes: number): void;
  setSource(source: bigint, versionBytes: number): void;
  position(): number;
  rollouts(): number;
  turnsOfRollouts(): number;
  pairsOfRollouts(): number;
  clearRollouts(): void;
  clearTurns(): void;
  scan(from: number, to: number, lines: number, rid: bigint, line: bigint, isText: number): number;
  hasNulls(index: number, rows: number): number;
  point(index: number, rows: number, address: number): void;
}

const mostExponent = 340;
const runColumn = 5;
const idColumn = 4;
/** Of what a rollout claims to be of; the order is that of the table. */
const claimColumns = { split: 6, step: 7, item: 8, harness: 19, seed: 20 } as const;
/** Words of a column's place in memory, and of a slot of a text. */
const columnWords = { data: 0, valid: 1, heap: 2, used: 3 } as const;
const slotWords = 4;
const shortBytes = 12;

/** A column of a chunk in the module's memory, as the engine lays it out; `heap` is empty but for texts. */
export interface ScannedColumn {
  readonly data: number;
  /** One bit per row: whether it has a value. */
  readonly valid: number;
  readonly heap: Buffer;
  readonly isText: boolean;
}

/**
 * Reads whole lines of rollouts, in WebAssembly, into columns as the engine has them: no value passes through JavaScript.
 * It takes only lines that are in the contract beyond doubt. Any other line is for `parseRollout`, which decides and gives
 * the reason; a test holds the two together.
 */
export class LineScanner {
  /** Where the lines have to lie that are scanned. */
  readonly block: Buffer;
  readonly memory: ArrayBuffer;
  readonly #scan: Scan;
  readonly #words: Uint32Array;
  readonly #bytes: Buffer;

  /** Undefined where the runtime has no WebAssembly with SIMD: every line is then for the parser. */
  static make(): LineScanner | undefined {
    let module: WebAssembly.Module;
    try {
      module = new WebAssembly.Module(Buffer.from(scanModule, "base64"));
    } catch {
      return undefined;
    }
    return new LineScanner(module);
  }

  private constructor(module: WebAssembly.Module) {
    const { exports } = new WebAssembly.Instance(module, {
      object: { rewrite: (from: number, end: number, to: number) => rewrite(this.memory, from, end, to) },
    });
    if (!isScan(exports)) throw new Error("The scanner's module lacks a function; build server/wasm again.");
    this.#scan = exports;
    exports.init();
    this.memory = exports.memory.buffer;
    this.#words = new Uint32Array(this.memory);
    this.#bytes = Buffer.from(this.memory);
    this.block = Buffer.from(this.memory, exports.blockAt(), exports.blockSize());
    new BigUint64Array(this.memory, exports.powersAt()).set(powersOfFive(mostExponent));
  }

  /** Begins a source; false when its version is too long to be read here. */
  setSource(source: bigint, version: string): boolean {
    const bytes = this.#putName(this.#scan.versionAt(), version);
    this.#scan.setSource(source, Math.max(bytes, 0));
    return bytes >= 0;
  }

  /** The run that lines have to be of from now on; false when its name is too long. */
  setRun(run: string): boolean {
    const bytes = this.#putName(this.#scan.runAt(), run);
    this.#scan.setRun(Math.max(bytes, 0));
    return bytes >= 0;
  }

  #putName(at: number, name: string): number {
    const bytes = Buffer.from(name);
    if (bytes.length > this.#scan.nameSize()) return -1;
    Buffer.from(this.memory, at).set(bytes);
    return bytes.length;
  }

  /**
   * Reads at most `lines` lines between two places of the memory where lines begin and end, inside the block; answers why
   * it stopped.
   * @param isText whether the block is UTF-8
   */
  scan(
    from: number,
    to: number,
    at: { readonly lines: number; readonly rid: number; readonly line: number; readonly isText: boolean },
  ): number {
    const { lines, rid, line } = at;
    return this.#scan.scan(
      from,
      to,
      Math.min(lines, 0x7fff_ffff),
      BigInt(rid),
      BigInt(line),
      at.isText ? 1 : 0,
    );
  }

  /** The place in memory of the line that is next. */
  get position(): number {
    return this.#scan.position();
  }

  /** Rows of the chunk. */
  get rollouts(): number {
    return this.#scan.rollouts();
  }

  get turns(): number {
    return this.#scan.turnsOfRollouts();
  }

  /** Pairs of the maps of the chunk. */
  get pairs(): number {
    return this.#scan.pairsOfRollouts();
  }

  clearRollouts(): void {
    this.#scan.clearRollouts();
  }

  clearTurns(): void {
    this.#scan.clearTurns();
  }

  column(index: number): ScannedColumn {
    const at = this.#scan.columnAt(index) / 4;
    const heap = this.#words[at + columnWords.heap] ?? 0;
    const used = this.#words[at + columnWords.used] ?? 0;
    return {
      data: this.#words[at + columnWords.data] ?? 0,
      valid: this.#words[at + columnWords.valid] ?? 0,
      heap: Buffer.from(this.memory, heap, used),
      isText: heap !== 0,
    };
  }

  hasNulls(index: number, rows: number): boolean {
    return this.#scan.hasNulls(index, rows) !== 0;
  }

  /** Makes the places of long texts addresses, when the heap was put to `address`; no text can be read here any more. */
  point(index: number, rows: number, address: number): void {
    this.#scan.point(index, rows, address);
  }

  /** Calls `visit` with the id of each rollout of the chunk from `first` on, as UTF-8. */
  eachId(first: number, visit: (bytes: Uint8Array, start: number, end: number) => void): void {
    const bytes = new Uint8Array(this.memory);
    const { rollouts } = this;
    for (let row = first; row < rollouts; row++) {
      const [start, end] = this.#textAt(idColumn, row);
      visit(bytes, start, end);
    }
  }

  /** What a rollout of the chunk claims to be of. */
  claimsOf(row: number): Claims {
    const { split, step, item, harness, seed } = claimColumns;
    return {
      split: choices.split[this.#byteAt(split, row)] ?? "train",
      step: this.#numberAt(step, row),
      item: this.#stringAt(item, row),
      harness: this.#hasValue(harness, row) ? this.#stringAt(harness, row) : null,
      seed: this.#hasValue(seed, row) ? this.#numberAt(seed, row) : null,
    };
  }

  #stringAt(index: number, row: number): string {
    const [start, end] = this.#textAt(index, row);
    return this.#bytes.toString("utf8", start, end);
  }

  #byteAt(index: number, row: number): number {
    return this.#bytes[this.#word(index, columnWords.data) + row] ?? 0;
  }

  #numberAt(index: number, row: number): number {
    return Number(this.#bytes.readBigInt64LE(this.#word(index, columnWords.data) + 8 * row));
  }

  #hasValue(index: number, row: number): boolean {
    const bits = this.#bytes[this.#word(index, columnWords.valid) + (row >> 3)] ?? 0;
    return (bits & (1 << (row & 7))) !== 0;
  }

  #word(index: number, part: number): number {
    return this.#words[this.#scan.columnAt(index) / 4 + part] ?? 0;
  }

  /** The run of a line at which `scan` stopped because of it. */
  get nextRun(): string {
    const [start, end] = this.#textAt(runColumn, this.rollouts);
    return Buffer.from(this.memory, start, end - start).toString();
  }

  #textAt(index: number, row: number): readonly [start: number, end: number] {
    const words = this.#words;
    const column = this.#scan.columnAt(index) / 4;
    const slot = (words[column + columnWords.data] ?? 0) / 4 + row * slotWords;
    const length = words[slot] ?? 0;
    const start =
      length <= shortBytes
        ? 4 * (slot + 1)
        : (words[column + columnWords.heap] ?? 0) + (words[slot + 2] ?? 0);
    return [start, start + length];
  }
}

/** Puts an object in the form of JSON.stringify to `to`, if that is not longer; its bytes, or -1. */
function rewrite(memory: ArrayBuffer, from: number, end: number, to: number): number {
  try {
    const value: unknown = JSON.parse(Buffer.from(memory, from, end - from).toString());
    const bytes = Buffer.from(JSON.stringify(value));
    if (bytes.length > end - from) return -1;
    Buffer.from(memory, to, bytes.length).set(bytes);
    return bytes.length;
  } catch {
    return -1;
  }
}

const names = [
  "init blockAt blockSize powersAt columnAt nameSize runAt versionAt setRun setSource position rollouts",
  "turnsOfRollouts pairsOfRollouts clearRollouts clearTurns scan hasNulls point",
]
  .join(" ")
  .split(" ");

function isScan(
  exports: Readonly<Record<string, unknown>>,
): exports is Readonly<Record<string, unknown>> & Scan & { readonly memory: WebAssembly.Memory } {
  return (
    exports["memory"] instanceof WebAssembly.Memory &&
    names.every((name) => typeof exports[name] === "function")
  );
}
