import type { DuckDBConnection } from "@duckdb/node-api";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import type { Store } from "../store/database.ts";
import type { Claims } from "../contract/claims.ts";
import type { Admission } from "./admission.ts";
import { Identities } from "./identities.ts";
import { lineAt, maxBlockBytes, type Block, type Line } from "../contract/lines.ts";
import { LineScanner, stops } from "../scan/lineScanner.ts";
import { parseMetrics, parseRollout } from "../contract/parse.ts";
import { metricRows, rolloutRow, turnRow } from "./recordRows.ts";
import { moveRollouts, moveTurns } from "../scan/scannedChunk.ts";
import type { Source } from "../store/sources.ts";
import { TableBuffer } from "../store/tableBuffer.ts";
import type { LineProblem } from "../contract/validateFile.ts";

/** How much of a refused line is kept. */
const rawBytes = 4096;

type Tables = Readonly<Record<"rollouts" | "turns" | "metrics" | "quarantine", TableBuffer>>;

/** What the batches of an open archive share: making it takes longer than a line that is added while a file grows. */
interface Buffers {
  readonly tables: Tables;
  readonly scanner: LineScanner | undefined;
  /** Where the lines of a file are read to. */
  readonly memory: Buffer;
}

const buffers = new WeakMap<Store, Buffers>();

async function openBuffers(store: Store): Promise<Buffers> {
  const scanner = LineScanner.make();
  return {
    tables: {
      rollouts: await TableBuffer.open(store, "rollouts"),
      turns: await TableBuffer.open(store, "turns"),
      metrics: await TableBuffer.open(store, "metrics"),
      quarantine: await TableBuffer.open(store, "quarantine"),
    },
    scanner,
    memory: scanner?.block ?? Buffer.allocUnsafeSlow(maxBlockBytes),
  };
}

export interface BatchOptions {
  /** Runs of the file whose rollouts are passed over. */
  readonly forgotten: ReadonlySet<string>;
  /** What the job of the file was asked for; left out where that is not known. */
  readonly admission?: Admission | undefined;
}

/** Lines that are committed together. One batch serves a whole file: `restart` empties it. */
export class Batch {
  source: Source;
  start = 0;
  end = 0;
  /** Lines of the file up to `end`. */
  lines = 0;
  records = 0;
  readonly problems: LineProblem[] = [];
  readonly identities = new Identities();
  /** Where blocks of lines have to be read to. */
  readonly memory: Buffer;
  readonly #forgotten: ReadonlySet<string>;
  readonly #admission: Admission | undefined;
  /** Whether rollouts are held against what was asked for: not when lines are read a second time. */
  #isAdmitting = true;
  /** Lines that the job was not asked for, with the reason. */
  readonly #notAsked = new Map<number, string>();
  /** Under what the rollouts are counted of which an item may have too many. */
  readonly #counted: { readonly line: number; readonly key: string }[] = [];
  /** Undefined when every line is for the parser. */
  readonly #scanner: LineScanner | undefined;
  /** The run that the scanner expects. */
  #run: string;
  #rid = 0;
  #firstRid = 0;
  /** Lines of the file before it. */
  firstLine = 0;
  readonly #tables: Tables;

  static async open(store: Store, source: Source, of: BatchOptions): Promise<Batch> {
    const shared = buffers.get(store) ?? (await openBuffers(store));
    buffers.set(store, shared);
    return new Batch(source, of, shared);
  }

  /** One for files that are committed together: each begins with `turnTo`, and every line is for the parser. */
  static async openForMany(store: Store): Promise<Batch> {
    const shared = buffers.get(store) ?? (await openBuffers(store));
    buffers.set(store, shared);
    return new Batch(noSource, { forgotten: new Set() }, { ...shared, scanner: undefined });
  }

  private constructor(
    source: Source,
    { forgotten, admission }: BatchOptions,
    { tables, scanner, memory }: Buffers,
  ) {
    this.source = source;
    this.#forgotten = forgotten;
    this.#admission = admission;
    this.#tables = tables;
    this.memory = memory;
    this.#run = source.run ?? "";
    const isScanned =
      source.kind === "rollouts" &&
      forgotten.size === 0 &&
      scanner?.setSource(source.source, source.version) === true &&
      scanner.setRun(this.#run);
    this.#scanner = isScanned ? scanner : undefined;
  }

  /** The rid behind those of the batch. */
  get nextRid(): number {
    return this.#rid;
  }

  /** Begins an empty batch at a byte offset; `lines` lie before it and `rid` is the next rollout's. */
  restart(at: { readonly start: number; readonly lines: number; readonly rid: number }): void {
    this.start = this.end = at.start;
    this.lines = this.firstLine = at.lines;
    this.#rid = this.#firstRid = at.rid;
    this.#empty();
  }

  /** Goes on at the beginning of another file, whose rows come behind those before. */
  turnTo(source: Source): void {
    this.source = source;
    this.start = this.end = 0;
    this.lines = this.firstLine = 0;
  }

  /** Begins the batch that follows this one. */
  next(): void {
    this.#isAdmitting = true;
    this.restart({ start: this.end, lines: this.lines, rid: this.#rid });
  }

  /** Begins this batch again, to read its lines once more. */
  again(): void {
    this.#isAdmitting = false;
    this.restart({ start: this.start, lines: this.firstLine, rid: this.#firstRid });
  }

  #empty(): void {
    this.records = 0;
    this.problems.length = 0;
    this.identities.clear();
    this.#notAsked.clear();
    this.#counted.length = 0;
    this.#scanner?.clearRollouts();
    this.#scanner?.clearTurns();
    for (const table of Object.values(this.#tables)) table.clear();
  }

  /** Lines that may not be records, with the reason: those in `refused`, and those that the job was not asked for. */
  refusals(refused: ReadonlyMap<number, string>): ReadonlyMap<number, string> {
    if (this.#admission === undefined) return refused;
    const all = new Map([...this.#notAsked, ...refused]);
    for (const { line, key } of this.#counted) {
      const excess = all.has(line) ? undefined : this.#admission.excess(key);
      if (excess !== undefined) all.set(line, excess);
    }
    return all;
  }

  #admit(line: number, claims: Claims): void {
    if (this.#admission === undefined) return;
    const refusal = this.#admission.refusal(claims);
    const key = this.#admission.key(claims);
    if (refusal !== undefined) this.#notAsked.set(line, refusal);
    else if (key !== undefined) this.#counted.push({ line, key });
  }

  /** Takes a line in; `refusal` is why it may not be a record whatever it holds. */
  add(line: Line, refusal?: string): void {
    this.lines++;
    this.end = line.end;
    if (refusal !== undefined) this.#refuse(line, refusal);
    else if (this.source.kind === "metrics") this.#addMetrics(line);
    else this.#addRollout(line);
  }

  /**
   * Takes lines of a block in, from a place in it on where one begins, until they are so many or reach so far into the
   * file; answers the place behind them.
   */
  addBlock(block: Block, from: number, most: { readonly lines: number; readonly end: number }): number {
    const last = this.lines + most.lines;
    const to = placeOf(block, from, most.end);
    let at = from;
    while (at < to && this.lines < last) {
      at = this.#scan(block, { from: at, to, lines: last - this.lines });
      if (at < to && this.lines < last) at = this.addLine(block, at);
    }
    return at;
  }

  /** Takes the line of a block in that begins at a place of it, with `add`; answers the place behind it. */
  addLine(block: Block, at: number, refusal?: string): number {
    const line = lineAt(block, at);
    this.add(line, refusal);
    return line.end - block.start;
  }

  /** Takes lines in up to one that is for the parser. */
  #scan(block: Block, { from, to, lines }: { from: number; to: number; lines: number }): number {
    const scanner = this.#scanner;
    if (scanner === undefined) return from;
    const { byteOffset } = block.bytes;
    const last = this.lines + lines;
    for (let at = from; ;) {
      const before = scanner.rollouts;
      const stop = scanner.scan(byteOffset + at, byteOffset + to, {
        lines: last - this.lines,
        rid: this.#rid,
        line: this.lines + 1,
        isText: block.isText,
      });
      at = scanner.position - byteOffset;
      this.end = block.start + at;
      this.#noteScanned(scanner, before);
      if (stop === stops.rollouts) this.#moveRollouts(scanner);
      else if (stop === stops.turns) this.#moveTurns(scanner);
      else if (stop !== stops.run || this.source.run !== null || !scanner.setRun(scanner.nextRun)) return at;
      else this.#run = scanner.nextRun;
    }
  }

  #noteScanned(scanner: LineScanner, before: number): void {
    const rows = scanner.rollouts - before;
    if (this.#isAdmitting && this.#admission !== undefined)
      for (let i = 0; i < rows; i++) this.#admit(this.lines + 1 + i, scanner.claimsOf(before + i));
    scanner.eachId(before, (bytes, start, end) => {
      this.identities.add(++this.lines, this.#run, bytes, start, end);
    });
    this.#rid += rows;
    this.records += rows;
  }

  #moveRollouts(scanner: LineScanner): void {
    this.#tables.rollouts.addChunk(scanner.rollouts, (bindings, chunk) => {
      moveRollouts(bindings, scanner, chunk);
    });
  }

  #moveTurns(scanner: LineScanner): void {
    this.#tables.turns.addChunk(scanner.turns, (bindings, chunk) => {
      moveTurns(bindings, scanner, chunk);
    });
  }

  /** Appends everything inside the connection's transaction. */
  async appendTo(connection: DuckDBConnection): Promise<void> {
    const scanner = this.#scanner;
    if (scanner !== undefined && scanner.rollouts > 0) this.#moveRollouts(scanner);
    if (scanner !== undefined && scanner.turns > 0) this.#moveTurns(scanner);
    for (const table of Object.values(this.#tables)) await table.appendTo(connection);
  }

  #addMetrics(line: Line): void {
    const parsed = parseMetrics(line);
    if (parsed.type === "bad") this.#refuse(line, parsed.reason);
    else if (parsed.type === "record") {
      this.records++;
      for (const row of metricRows(this.source, this.lines, parsed.record)) this.#tables.metrics.add(row);
    }
  }

  #addRollout(line: Line): void {
    const parsed = parseRollout(line);
    if (parsed.type === "bad") this.#refuse(line, parsed.reason);
    else if (parsed.type === "record") {
      const { run } = this.source;
      if (this.#forgotten.has(parsed.record.run)) return;
      if (run === null || parsed.record.run === run) this.#keep(parsed.record);
      else
        this.#refuse(
          line,
          `run must be ${JSON.stringify(run)}, the run of this file, got ${JSON.stringify(parsed.record.run)}`,
        );
    }
  }

  #keep(rollout: Rollout): void {
    const rid = this.#rid++;
    const line = this.lines;
    this.records++;
    if (this.#isAdmitting) this.#admit(line, rollout);
    this.identities.add(line, rollout.run, Buffer.from(rollout.id));
    this.#tables.rollouts.add(rolloutRow({ rid, source: this.source, line }, rollout));
    let idx = 0;
    for (const turn of rollout.turns) this.#tables.turns.add(turnRow(rid, idx++, turn));
  }

  #refuse(line: Line, reason: string): void {
    const { source, path } = this.source;
    this.problems.push({ line: this.lines, offset: line.start, reason });
    const raw = line.bytes.subarray(0, rawBytes).toString("utf8");
    this.#tables.quarantine.add([source, path, this.lines, line.start, reason, raw]);
  }
}

/** Stands where no file was begun. */
const noSource: Source = {
  path: "",
  kind: "rollouts",
  run: null,
  version: "",
  source: -1n,
  consumed: 0,
  lines: 0,
  fingerprint: "",
};

/** The place in a block behind the line that reaches a byte of the file, or behind the last one. */
function placeOf({ start, bytes }: Block, from: number, end: number): number {
  return end >= start + bytes.length
    ? bytes.length
    : bytes.indexOf(0x0a, Math.max(from, end - start - 1)) + 1;
}
