import type { DuckDBConnection } from "@duckdb/node-api";
import type { Rollout } from "../../../shared/model/rollout.ts";
import type { Store } from "./database.ts";
import type { Line } from "./lines.ts";
import { parseMetrics, parseRollout } from "./parse.ts";
import { metricRows, rolloutRow, turnRow } from "./recordRows.ts";
import { putScanned } from "./scannedRows.ts";
import { RolloutScanner } from "./scanRollout.ts";
import type { Source } from "./sources.ts";
import { TableBuffer } from "./tableBuffer.ts";
import type { LineProblem } from "./validateFile.ts";

/** How much of a refused line is kept. */
const rawBytes = 4096;

/** The identity of a rollout in the batch, to find re-used ids. */
export interface Identity {
  readonly line: number;
  readonly run: string;
  readonly id: string;
}

type Tables = Readonly<Record<"rollouts" | "turns" | "metrics" | "quarantine", TableBuffer>>;

/** The buffers of an open archive: making them takes longer than a line that is added while a file grows. */
const buffers = new WeakMap<Store, Tables>();

/** Lines that are committed together. One batch serves a whole file: `restart` empties it. */
export class Batch {
  readonly source: Source;
  start = 0;
  end = 0;
  /** Lines of the file up to `end`. */
  lines = 0;
  records = 0;
  readonly problems: LineProblem[] = [];
  readonly identities: Identity[] = [];
  readonly #forgotten: ReadonlySet<string>;
  readonly #scanner = new RolloutScanner();
  #rid = 0;
  #firstRid = 0;
  #firstLine = 0;
  readonly #tables: Tables;

  /** @param forgotten runs of the file whose rollouts are passed over */
  static async open(store: Store, source: Source, forgotten: ReadonlySet<string>): Promise<Batch> {
    const tables = buffers.get(store) ?? {
      rollouts: await TableBuffer.open(store, "rollouts"),
      turns: await TableBuffer.open(store, "turns"),
      metrics: await TableBuffer.open(store, "metrics"),
      quarantine: await TableBuffer.open(store, "quarantine"),
    };
    buffers.set(store, tables);
    return new Batch(source, forgotten, tables);
  }

  private constructor(source: Source, forgotten: ReadonlySet<string>, tables: Tables) {
    this.source = source;
    this.#forgotten = forgotten;
    this.#tables = tables;
  }

  /** The rid behind those of the batch. */
  get nextRid(): number {
    return this.#rid;
  }

  /** Begins an empty batch at a byte offset; `lines` lie before it and `rid` is the next rollout's. */
  restart(at: { readonly start: number; readonly lines: number; readonly rid: number }): void {
    this.start = this.end = at.start;
    this.lines = this.#firstLine = at.lines;
    this.#rid = this.#firstRid = at.rid;
    this.#empty();
  }

  /** Begins the batch that follows this one. */
  next(): void {
    this.restart({ start: this.end, lines: this.lines, rid: this.#rid });
  }

  /** Begins this batch again, to read its lines once more. */
  again(): void {
    this.restart({ start: this.start, lines: this.#firstLine, rid: this.#firstRid });
  }

  #empty(): void {
    this.records = 0;
    this.problems.length = 0;
    this.identities.length = 0;
    for (const table of Object.values(this.#tables)) table.clear();
  }

  /** Takes a line in; `refusal` is why it may not be a record whatever it holds. */
  add(line: Line, refusal?: string): void {
    this.lines++;
    this.end = line.end;
    if (refusal !== undefined) this.#refuse(line, refusal);
    else if (this.source.kind === "metrics") this.#addMetrics(line);
    else this.#addRollout(line);
  }

  /** Appends everything inside the connection's transaction. */
  async appendTo(connection: DuckDBConnection): Promise<void> {
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
    if (this.#addScanned(line)) return;
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

  /** Takes a line in that is a rollout of this file beyond doubt. */
  #addScanned(line: Line): boolean {
    const scanned = this.#scanner;
    if (line.tooLong || this.#forgotten.size > 0 || !scanned.scan(line.bytes)) return false;
    const { run } = scanned;
    if (this.source.run !== null && run !== this.source.run) return false;
    const rid = this.#rid++;
    this.records++;
    this.identities.push({ line: this.lines, run, id: scanned.id });
    putScanned(this.#tables, { rid, source: this.source, line: this.lines }, scanned);
    return true;
  }

  #keep(rollout: Rollout): void {
    const rid = this.#rid++;
    const line = this.lines;
    this.records++;
    this.identities.push({ line, run: rollout.run, id: rollout.id });
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
