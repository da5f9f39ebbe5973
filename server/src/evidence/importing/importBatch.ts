import type { DuckDBConnection } from "@duckdb/node-api";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import type { MetricDraft, ScoreDraft } from "../adapters/parts/adapter.ts";
import { noteArrival } from "../store/arrivals.ts";
import type { Store } from "../store/database.ts";
import { forgetIngestState } from "../ingest/ingest.ts";
import { metricRows, rolloutRow, scoreRow, turnRow } from "../ingest/recordRows.ts";
import { placeOfRun, registerFiles, type SourceKey } from "../store/registrations.ts";
import { emptyFingerprint, type Source } from "../store/sources.ts";
import { TableBuffer } from "../store/tableBuffer.ts";
import { manyRows, tablesOfRollouts } from "../store/tables.ts";

const tableNames = ["sources", "rollouts", "turns", "metrics", "scores", "quarantine"] as const;
const rawLength = 4096;
const maxRows = 16_384;
const maxChars = 48 * 1024 * 1024;
const maxSources = 4096;

/** How far a foreign file is in the archive; it moves on as records are added and is written with them. */
export interface Progress {
  source: Source;
  /** True until the source's row is in the database. */
  isNew: boolean;
  consumed: number;
  records: number;
  fingerprint: string;
  complete: boolean;
}

/** Records of any number of foreign files on their way into the archive in one transaction. */
export class ImportBatch {
  readonly #store: Store;
  readonly #tables: Readonly<Record<(typeof tableNames)[number], TableBuffer>>;
  readonly #touched = new Map<string, Progress>();
  #registrations: SourceKey[] = [];
  #rid: number;
  #rows = 0;
  #chars = 0;

  static async open(store: Store, nextRid: number): Promise<ImportBatch> {
    const opened = [];
    for (const name of tableNames) opened.push([name, await TableBuffer.open(store, name)] as const);
    const [sources, rollouts, turns, metrics, scores, quarantine] = opened.map(([, table]) => table);
    if (!sources || !rollouts || !turns || !metrics || !scores || !quarantine)
      throw new Error("A table is missing.");
    return new ImportBatch(store, { sources, rollouts, turns, metrics, scores, quarantine }, nextRid);
  }

  private constructor(
    store: Store,
    tables: Readonly<Record<(typeof tableNames)[number], TableBuffer>>,
    nextRid: number,
  ) {
    this.#store = store;
    this.#tables = tables;
    this.#rid = nextRid;
  }

  get full(): boolean {
    return this.#rows >= maxRows || this.#chars >= maxChars || this.#touched.size >= maxSources;
  }

  /** A file that is to be written into the list of files before its records are committed. */
  register(key: SourceKey): void {
    this.#registrations.push(key);
  }

  /** Notes that the file's progress is to be written with the next commit. */
  touch(progress: Progress): void {
    this.#touched.set(progress.source.path, progress);
  }

  addRollout(progress: Progress, line: number, rollout: Rollout): void {
    const rid = this.#rid++;
    this.#tables.rollouts.add(rolloutRow({ rid, source: progress.source, line }, rollout));
    rollout.turns.forEach((turn, idx) => {
      this.#chars += turn.text.length;
      this.#tables.turns.add(turnRow(rid, idx, turn));
    });
    this.#rows++;
    this.touch(progress);
  }

  addMetrics(progress: Progress, line: number, { step, values, run }: MetricDraft): void {
    const source = { ...progress.source, ...placeOfRun(progress.source, run) };
    for (const row of metricRows(source, line, { ...values, step })) {
      this.#tables.metrics.add(row);
      this.#rows += 0.1;
    }
    this.touch(progress);
  }

  addScore(progress: Progress, line: number, draft: ScoreDraft): void {
    this.#tables.scores.add(scoreRow(progress.source, line, draft));
    this.#rows++;
    this.touch(progress);
  }

  refuse(progress: Progress, at: { line: number; offset: number; reason: string; raw: string }): void {
    const { source, path } = progress.source;
    this.#tables.quarantine.add([source, path, at.line, at.offset, at.reason, at.raw.slice(0, rawLength)]);
    this.#rows++;
    this.touch(progress);
  }

  /** Writes all of it, and how far every file is, in one transaction. */
  async commit(): Promise<void> {
    if (this.#touched.size === 0) return;
    await registerFiles(this.#store.path, this.#registrations);
    const touched = [...this.#touched.values()];
    for (const progress of touched) if (progress.isNew) this.#tables.sources.add(sourceRow(progress));
    const write = async (connection: DuckDBConnection): Promise<void> => {
      for (const name of tableNames) await this.#tables[name].appendTo(connection);
      for (const progress of touched) if (!progress.isNew) await updateSource(connection, progress);
    };
    await (this.#rows < manyRows ? this.#store.write(write) : this.#store.append(write));
    for (const progress of touched) progress.isNew = false;
    forgetIngestState(this.#store);
    noteArrival(this.#store);
    this.#clear();
  }

  #clear(): void {
    for (const table of Object.values(this.#tables)) table.clear();
    this.#touched.clear();
    this.#registrations = [];
    this.#rows = 0;
    this.#chars = 0;
  }
}

function sourceRow({ source, consumed, records, fingerprint, complete }: Progress) {
  return [
    source.source,
    source.path,
    source.run,
    source.version,
    source.kind,
    consumed,
    records,
    fingerprint,
    source.imported?.format ?? null,
    complete,
  ];
}

async function updateSource(connection: DuckDBConnection, progress: Progress): Promise<void> {
  const { source, consumed, records, fingerprint, complete } = progress;
  await connection.run(
    "UPDATE sources SET consumed = ?, lines = ?, fingerprint = ?, complete = ? WHERE source = ?",
    [BigInt(consumed), BigInt(records), fingerprint, complete, source.source],
  );
}

/** Takes everything that a file brought in out again, its own row included, so that it can be read anew. */
export async function dropRecords(store: Store, progress: Progress): Promise<void> {
  const { source } = progress.source;
  await store.write(async (connection) => {
    for (const table of tablesOfRollouts)
      await connection.run(`DELETE FROM ${table} WHERE rid IN (SELECT rid FROM rollouts WHERE source = ?)`, [
        source,
      ]);
    for (const table of ["rollouts", "metrics", "scores", "quarantine"])
      await connection.run(`DELETE FROM ${table} WHERE source = ?`, [source]);
    await connection.run("DELETE FROM sources WHERE source = ?", [source]);
  });
  progress.isNew = true;
  progress.consumed = 0;
  progress.records = 0;
  progress.fingerprint = emptyFingerprint;
  progress.complete = false;
  forgetIngestState(store);
  noteArrival(store);
}
