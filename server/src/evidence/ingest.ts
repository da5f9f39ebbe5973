import type { DuckDBConnection } from "@duckdb/node-api";
import type { FileHandle } from "node:fs/promises";
import type { Rollout } from "../../../shared/model/rollout.ts";
import { HarnessError } from "../base/errors.ts";
import { Batch, rawBytes, type BadLine, type Located } from "./batch.ts";
import { makeBinder, type Store } from "./database.ts";
import { LineSplitter } from "./lines.ts";
import type { EvidenceKind } from "./parse.ts";
import { openEvidence, readLines } from "./readLines.ts";
import { bigintOf, stringOf } from "./rows.ts";
import { assertUnchanged, fingerprintOf, registerSource, storedPath, type Source } from "./sources.ts";
import { rowGroupSize } from "./tables.ts";
import { duplicateReason, type LineProblem } from "./validateFile.ts";
import { writeMetrics, writeQuarantine, writeRollouts } from "./writeRecords.ts";

export interface IngestOptions {
  readonly path: string;
  readonly kind: EvidenceKind;
  readonly version: string;
  /** The run that every line must belong to; left out for a file that holds several runs. */
  readonly run?: string;
  /** True when nothing writes to the file any more: a last line that is torn is then quarantined. */
  readonly final?: boolean;
  readonly signal?: AbortSignal;
  readonly batchRows?: number;
  readonly batchBytes?: number;
}

export interface IngestReport {
  readonly path: string;
  /** Records that this call added. */
  readonly rows: number;
  /** Lines that this call put into quarantine. */
  readonly bad: number;
  /** The first of those, at most 1000. */
  readonly quarantined: readonly LineProblem[];
  /** Bytes that this call consumed. */
  readonly bytes: number;
  /** Bytes of the file that are in the archive now. */
  readonly offset: number;
  /** Bytes behind the last newline, left for the next call. */
  readonly pending: number;
}

/**
 * Brings the new lines of a file into the archive. The offset is committed together with the rows, so that calling it
 * again, or after a crash at any point, goes on exactly where the tables end. It may be called while the file grows.
 * @throws HarnessError notFound, badInput, cancelled, diskFull, storeFailed
 */
export function ingestFile(store: Store, options: IngestOptions): Promise<IngestReport> {
  return store.exclusive("ingest", async () => {
    const file = await openEvidence(options.path);
    try {
      const source = await registerSource(store, {
        path: storedPath(store, options.path),
        kind: options.kind,
        run: options.run ?? null,
        version: options.version,
      });
      await assertUnchanged(file, source, options.path);
      return await ingestFrom(store, file, source, options);
    } finally {
      await file.close();
    }
  });
}

async function ingestFrom(
  store: Store,
  file: FileHandle,
  source: Source,
  options: IngestOptions,
): Promise<IngestReport> {
  const maxRows = options.batchRows ?? rowGroupSize;
  const maxBytes = options.batchBytes ?? 32 * 1024 * 1024;
  const quarantined: LineProblem[] = [];
  let rows = 0;
  let bad = 0;
  let pending = 0;
  let batch = new Batch(source, source.consumed, source.lines);
  const flush = async (): Promise<void> => {
    if (batch.end === batch.start) return;
    const added = await commitBatch(store, file, batch);
    rows += added;
    bad += batch.problems.length;
    quarantined.push(...batch.problems.slice(0, 1000 - quarantined.length).map(withoutRaw));
    batch = new Batch(source, batch.end, batch.lines);
  };
  for await (const lines of readLines(file, source.consumed)) {
    if (options.signal?.aborted)
      throw new HarnessError("cancelled", `Reading ${options.path} was cancelled; what was read is kept.`);
    for (const line of lines) {
      if (!line.complete && options.final !== true) {
        pending = line.end - line.start;
        break;
      }
      batch.add(line);
      if (batch.records >= maxRows || batch.end - batch.start >= maxBytes) await flush();
    }
  }
  await flush();
  if (bad > 0)
    store.log.warn("evidence", "quarantined lines", { path: source.path, bad, first: quarantined[0] });
  store.log.debug("evidence", "ingested", { path: source.path, rows, bad, offset: batch.end });
  const bytes = batch.end - source.consumed;
  return { path: options.path, rows, bad, quarantined, bytes, offset: batch.end, pending };
}

const withoutRaw = ({ line, offset, reason }: BadLine): LineProblem => ({ line, offset, reason });

/** Writes a batch and the new offset in one transaction and returns how many records were added. */
async function commitBatch(store: Store, file: FileHandle, batch: Batch): Promise<number> {
  const fingerprint = await fingerprintOf(file, batch.end);
  return store.write(async (connection) => {
    let rows = batch.metrics.length;
    if (batch.source.kind === "rollouts") {
      const next = await connection.runAndReadAll(
        "SELECT coalesce(max(rid) + 1, 0)::BIGINT AS next FROM rollouts",
      );
      const rid = bigintOf(next.getRowObjectsJS()[0] ?? {}, "next");
      const fresh = await withoutReusedIds({ store, connection, file, batch, archiveHasRows: rid > 0n });
      await writeRollouts(store, connection, { source: batch.source, rid, rollouts: fresh });
      rows = fresh.length;
    } else await writeMetrics(store, connection, batch.source, batch.metrics);
    batch.problems.sort((a, b) => a.line - b.line);
    await writeQuarantine(store, connection, batch.source, batch.problems);
    await connection.run("UPDATE sources SET consumed = ?, lines = ?, fingerprint = ? WHERE source = ?", [
      BigInt(batch.end),
      BigInt(batch.lines),
      fingerprint,
      batch.source.source,
    ]);
    return rows;
  });
}

/** Moves rollouts whose id the run already has into quarantine; returns the others. */
async function withoutReusedIds(parts: {
  readonly store: Store;
  readonly connection: DuckDBConnection;
  readonly file: FileHandle;
  readonly batch: Batch;
  readonly archiveHasRows: boolean;
}): Promise<Located<Rollout>[]> {
  const { store, connection, file, batch, archiveHasRows } = parts;
  const key = (run: string, id: string): string => `${run}\n${id}`;
  const seen = new Set<string>();
  if (archiveHasRows && batch.rollouts.length > 0) {
    const runs = [...new Set(batch.rollouts.map(({ record }) => record.run))];
    const ids = batch.rollouts.map(({ record }) => record.id);
    const one = runs.length === 1 ? runs[0] : undefined;
    const { values, types } = makeBinder(store.duckdb)([one ?? runs, ids]);
    const found = await connection.runAndReadAll(
      `SELECT run, id FROM rollouts
       WHERE ${one === undefined ? "run IN (SELECT unnest(?))" : "run = ?"} AND id IN (SELECT unnest(?))`,
      values,
      types,
    );
    for (const row of found.getRowObjectsJS()) seen.add(key(stringOf(row, "run"), stringOf(row, "id")));
  }
  const fresh: Located<Rollout>[] = [];
  for (const located of batch.rollouts) {
    const { id, run } = located.record;
    if (seen.has(key(run, id))) {
      const { line, offset } = located;
      batch.problems.push({ line, offset, reason: duplicateReason(id, run), raw: await rawAt(file, offset) });
    } else fresh.push(located);
    seen.add(key(run, id));
  }
  return fresh;
}

async function rawAt(file: FileHandle, offset: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(rawBytes), 0, rawBytes, offset);
  const [line] = new LineSplitter(offset).push(buffer.subarray(0, bytesRead));
  return line?.bytes ?? buffer.subarray(0, bytesRead);
}
