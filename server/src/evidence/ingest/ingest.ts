import type { FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ClosedFile } from "../../../../shared/ledger/closing.ts";
import type { EvidenceChange } from "../../../../shared/words/closedEvidence.ts";
import { HarnessError } from "../../base/errors.ts";
import { noteArrival } from "../store/arrivals.ts";
import { Admission } from "./admission.ts";
import { Batch } from "./batch.ts";
import { compareClosed, nothingClosed } from "./closedFile.ts";
import { dropRows } from "./dropRows.ts";
import type { Store } from "../store/database.ts";
import { KnownIds } from "./knownIds.ts";
import type { EvidenceKind } from "../contract/parse.ts";
import { isBlock, readBlocks } from "../contract/readBlocks.ts";
import { openEvidence } from "../contract/readLines.ts";
import { isOfRun, whyNotCounted } from "../store/elsewhere.ts";
import { forgottenRuns, type SourceKey } from "../store/registrations.ts";
import { numberOf } from "../store/rows.ts";
import type { Asked } from "../store/runTerms.ts";
import { isDue, reachedIn, saveProgress, type Reached } from "../store/progress.ts";
import { assertUnchanged, findSource, fingerprintOf, registerSource, storedPath } from "../store/sources.ts";
import { manyRows, rowGroupSize } from "../store/tables.ts";
import { reusedIds } from "./reusedIds.ts";
import type { LineProblem } from "../contract/validateFile.ts";

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
  /** What became of the file after its run was closed; left out where nothing did. */
  readonly change?: EvidenceChange;
}

/**
 * Brings the new lines of a file into the archive. The offset is committed together with the rows, so that calling it
 * again, or after a crash at any point, goes on exactly where the tables end. It may be called while the file grows.
 * @throws HarnessError notFound, badInput, cancelled, diskFull, storeFailed
 */
export function ingestFile(store: Store, options: IngestOptions): Promise<IngestReport> {
  return store.exclusive("ingest", async () => {
    const isFollowed = !isOfRun({
      path: storedPath(store, options.path),
      run: options.run ?? null,
    });
    const file = await openEvidence(options.path, { isFollowed });
    try {
      const state = ingestStateOf(store);
      const key = {
        path: storedPath(store, options.path),
        kind: options.kind,
        run: options.run ?? null,
        version: options.version,
      };
      const problem = await whyNotCounted(store, key);
      if (problem !== undefined) throw new HarnessError("badInput", `${key.path} is left out: ${problem}.`);
      const terms = await termsOfFile(store, key);
      const before = await changeOf(file, key, terms);
      if (before?.what === "changed") return await leaveOut(store, key, options, before);
      const known = state.sources.get(key.path);
      const open = known !== undefined && sameKey(known, key) ? known : undefined;
      const noted = open ?? (await registerSource(store, key));
      state.sources.delete(key.path);
      await assertUnchanged(file, noted, options.path);
      const source = open ?? (await reachedIn(store, file, noted, options.path));
      const { report, reached } = await ingestFrom(store, file, source, { ...options, ...terms });
      // Somebody may have written while it was read.
      const after = await changeOf(file, key, terms);
      if (after?.what === "changed" && report.bytes > 0) {
        await dropRows(store, [{ ...key, source: source.source, whole: true }]);
        return nothingOf(options.path, after);
      }
      state.sources.set(key.path, reached);
      return after === undefined ? report : { ...report, change: after };
    } finally {
      await file.close();
    }
  });
}

/** What a file has to keep to. */
interface FileTerms {
  readonly closed?: ClosedFile | typeof nothingClosed;
  readonly asked?: Asked;
}

/** Of a file that lies where the engine did not put it, only what its run was is known: then nothing of it counts. */
async function termsOfFile(store: Store, { path, run }: SourceKey): Promise<FileTerms> {
  const terms = run === null ? undefined : await store.termsOf(run);
  if (run === null || terms === undefined) return {};
  const name = path.startsWith(`${run}/`) ? path.slice(run.length + 1) : undefined;
  const { closed, asked } = terms;
  return {
    ...(closed === null
      ? {}
      : { closed: (name === undefined ? undefined : closed.get(name)) ?? nothingClosed }),
    ...(asked === null ? {} : { asked }),
  };
}

/** What became of a file of a closed run. */
async function changeOf(
  file: FileHandle,
  { path, run }: SourceKey,
  { closed }: FileTerms,
): Promise<EvidenceChange | undefined> {
  const kept = closed === undefined ? "same" : await compareClosed(file, closed);
  if (closed === undefined || kept === "same") return undefined;
  const { size } = await file.stat();
  return { run: run ?? "", file: basename(path), what: kept, counts: closed.bytes, bytes: size };
}

/** A file of a closed run that somebody changed: what was read of it to its end stays, anything less goes. */
async function leaveOut(
  store: Store,
  key: SourceKey,
  { path }: IngestOptions,
  change: EvidenceChange,
): Promise<IngestReport> {
  const known = await findSource(store, key.path);
  if (known !== undefined && known.consumed < change.counts) {
    forgetIngestState(store);
    await dropRows(store, [{ ...known, whole: true }]);
  }
  store.log.warn("evidence", "changed after its run was closed", { path: key.path });
  return nothingOf(path, change);
}

const nothingOf = (path: string, change: EvidenceChange): IngestReport => ({
  ...{ path, rows: 0, bad: 0, quarantined: [], bytes: 0, offset: 0, pending: 0 },
  change,
});

/** What is known of an open archive without asking it: a file that grows is read again and again. */
export interface IngestState {
  /** How far files are, of those whose last reading ended well. */
  readonly sources: Map<string, Reached>;
  nextRid: number;
  readonly ids: KnownIds;
}

const states = new WeakMap<Store, IngestState>();

/** To be called inside the exclusive section "ingest". */
export function ingestStateOf(store: Store): IngestState {
  const state = states.get(store) ?? {
    sources: new Map<string, Reached>(),
    nextRid: -1,
    ids: new KnownIds(),
  };
  states.set(store, state);
  return state;
}

/** To be called, inside the exclusive section "ingest", by what changes `sources` or drops rollouts. */
export function forgetIngestState(store: Store): void {
  states.delete(store);
}

function sameKey(a: SourceKey, b: SourceKey): boolean {
  return a.path === b.path && a.kind === b.kind && a.run === b.run && a.version === b.version;
}

async function ingestFrom(
  store: Store,
  file: FileHandle,
  source: Reached,
  options: IngestOptions & FileTerms,
): Promise<{ readonly report: IngestReport; readonly reached: Reached }> {
  const state = ingestStateOf(store);
  let reached = source;
  const maxRows = options.batchRows ?? 4 * rowGroupSize;
  const maxBytes = options.batchBytes ?? 96 * 1024 * 1024;
  const quarantined: LineProblem[] = [];
  let rows = 0;
  let bad = 0;
  let pending = 0;
  const forgotten = source.run === null ? await forgottenRuns(store.path, source.path) : new Set<string>();
  const { asked, closed } = options;
  const admission = asked === undefined ? undefined : await Admission.open(store, source.source, asked);
  const batch = await Batch.open(store, source, { forgotten, admission });
  // Nothing that counts is written any more.
  const final = options.final === true || closed !== undefined;
  const end = closed === undefined ? Infinity : Math.max(closed.bytes, source.consumed);
  if (state.nextRid < 0) state.nextRid = await nextRid(store);
  batch.restart({ start: source.consumed, lines: source.lines, rid: state.nextRid });
  const flush = async (): Promise<void> => {
    if (batch.end === batch.start) return;
    reached = await commitBatch(store, file, batch, { reached, final });
    state.nextRid = batch.nextRid;
    rows += batch.records;
    bad += batch.problems.length;
    quarantined.push(...batch.problems.slice(0, 1000 - quarantined.length));
    batch.next();
  };
  const flushIfDue = async (): Promise<void> => {
    const bytes = batch.end - batch.start;
    // Whole row groups are written straight to their place, anything else goes through the log and is kept in memory.
    const whole = batch.records > 0 && batch.records % rowGroupSize === 0 && bytes >= maxBytes / 3;
    if (whole || batch.records >= maxRows || bytes >= maxBytes) await flush();
  };
  for await (const part of readBlocks(file, batch.memory, source.consumed, end)) {
    if (options.signal?.aborted)
      throw new HarnessError("cancelled", `Reading ${options.path} was cancelled; what was read is kept.`);
    if (isBlock(part)) {
      for (let at = 0; at < part.bytes.length;) {
        const lines = Math.min(maxRows - batch.records, rowGroupSize - (batch.records % rowGroupSize));
        at = batch.addBlock(part, at, { lines, end: batch.start + maxBytes });
        await flushIfDue();
      }
    } else if (!part.complete && !final) pending = part.end - part.start;
    else {
      batch.add(part);
      await flushIfDue();
    }
  }
  await flush();
  if (bad > 0)
    store.log.warn("evidence", "quarantined lines", { path: source.path, bad, first: quarantined[0] });
  store.log.debug("evidence", "ingested", { path: source.path, rows, bad, offset: batch.end });
  const bytes = batch.end - source.consumed;
  return {
    report: { path: options.path, rows, bad, quarantined, bytes, offset: batch.end, pending },
    reached,
  };
}

/** The rid behind those of the archive. */
export async function nextRid(store: Store): Promise<number> {
  const rows = await store.query({
    sql: "SELECT coalesce(max(rid) + 1, 0)::BIGINT AS next FROM rollouts",
    params: [],
  });
  return numberOf(rows[0] ?? {}, "next");
}

/**
 * Writes a batch in one transaction, with how far the file is when that is due, after its re-used ids, and what the job
 * was not asked for, were moved to quarantine; answers how far it is.
 */
async function commitBatch(
  store: Store,
  file: FileHandle,
  batch: Batch,
  { reached, final }: { readonly reached: Reached; readonly final: boolean },
): Promise<Reached> {
  const refusals = batch.refusals(await reusedIds(store, ingestStateOf(store).ids, batch.identities));
  // Rare, so that it may cost a second reading of these lines: what is in a column chunk cannot be taken out again.
  if (refusals.size > 0) await rebuild(file, batch, refusals);
  const { end: consumed, lines } = batch;
  const due = isDue(reached, consumed, final);
  const next = { ...reached, consumed, lines, fingerprint: await fingerprintOf(file, consumed) };
  const write = async (connection: DuckDBConnection): Promise<void> => {
    await batch.appendTo(connection);
    if (due) await saveProgress(connection, next);
  };
  const versions = [reached.version];
  await (lines - batch.firstLine < manyRows ? store.write(write, versions) : store.append(write, versions));
  noteArrival(store);
  return due ? { ...next, saved: consumed } : next;
}

async function rebuild(file: FileHandle, batch: Batch, refusals: ReadonlyMap<number, string>): Promise<void> {
  // What is in the memory is still being taken in.
  const held = Buffer.from(batch.memory);
  const { end } = batch;
  batch.again();
  for await (const part of readBlocks(file, batch.memory, batch.start, end)) {
    if (!isBlock(part)) batch.add(part, refusals.get(batch.lines + 1));
    else
      for (let at = 0; at < part.bytes.length;) {
        let lines = 0;
        while (lines < rowGroupSize && !refusals.has(batch.lines + 1 + lines)) lines++;
        at =
          lines === 0
            ? batch.addLine(part, at, refusals.get(batch.lines + 1))
            : batch.addBlock(part, at, { lines, end });
      }
  }
  batch.memory.set(held);
}
