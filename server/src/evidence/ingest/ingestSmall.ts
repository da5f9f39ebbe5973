import type { DuckDBConnection } from "@duckdb/node-api";
import { isUtf8 } from "node:buffer";
import { HarnessError } from "../../base/errors.ts";
import { openEvidence } from "../contract/readLines.ts";
import { noteArrival } from "../store/arrivals.ts";
import type { Store } from "../store/database.ts";
import { forgottenPaths, registerFiles, type SourceKey } from "../store/registrations.ts";
import { numberOf, stringOf } from "../store/rows.ts";
import { fingerprintOfBytes, storedPath, type Source } from "../store/sources.ts";
import { TableBuffer } from "../store/tableBuffer.ts";
import { manyRows } from "../store/tables.ts";
import { Batch } from "./batch.ts";
import { forgetIngestState, ingestStateOf, nextRid, type IngestReport } from "./ingest.ts";
import { reusedIds } from "./reusedIds.ts";

/** A larger file is worth transactions of its own. */
const smallBytes = 64 * 1024;
/** What is read before it is committed together. */
const groupFiles = 512;
const groupBytes = 16 * 1024 * 1024;

/** A file of rollouts of several runs that may be new. */
export interface SmallFile {
  readonly path: string;
  readonly version: string;
}

interface Read {
  readonly path: string;
  readonly source: Source;
  /** Its whole lines. */
  readonly bytes: Buffer;
  readonly pending: number;
}

/**
 * Brings files that are new and small into the archive, many in a transaction, because a transaction takes far longer than
 * such a file; what is in the archive to its end is only looked at. What this leaves out is for `ingestFile`: a file that grew
 * or is large, that cannot be read, or that is among files with an id that its run already has. The reports are by path.
 * @throws HarnessError cancelled, diskFull, storeFailed
 */
export function ingestSmall(
  store: Store,
  files: readonly SmallFile[],
  { signal, onFiles }: { readonly signal?: AbortSignal; readonly onFiles?: (done: number) => void } = {},
): Promise<ReadonlyMap<string, IngestReport>> {
  return store.exclusive("ingest", async () => {
    const reports = new Map<string, IngestReport>();
    const { fresh, known } = await sorted(store, files);
    for (const file of known) {
      const report = await unchanged(file);
      if (report !== undefined) reports.set(report.path, report);
    }
    const batch = await Batch.openForMany(store);
    const sources = await TableBuffer.open(store, "sources");
    for (let at = 0; at < fresh.length;) {
      if (signal?.aborted === true)
        throw new HarnessError("cancelled", "The import was cancelled; what was read is kept.");
      const group: Read[] = [];
      let next = await nextSource(store);
      for (let bytes = 0; at < fresh.length && group.length < groupFiles && bytes < groupBytes; at++) {
        const file = fresh[at];
        const read = file && (await readSmall(file, next));
        if (read === undefined) continue;
        group.push(read);
        bytes += read.bytes.length;
        next++;
      }
      for (const report of await commitGroup(store, group, { batch, sources }))
        reports.set(report.path, report);
      onFiles?.(reports.size);
    }
    return reports;
  });
}

type Keyed = SmallFile & { readonly key: SourceKey };

type Known = SmallFile & { readonly consumed: number; readonly fingerprint: string };

/** The files that nothing is known of, each once, and those that are in the archive as what they are given as. */
async function sorted(
  store: Store,
  files: readonly SmallFile[],
): Promise<{ readonly fresh: readonly Keyed[]; readonly known: readonly Known[] }> {
  const rows = await store.query({
    sql: "SELECT path, version, kind = 'rollouts' AND run IS NULL AS same, consumed, fingerprint FROM sources",
    params: [],
  });
  const sources = new Map(rows.map((row) => [stringOf(row, "path"), row]));
  // Some runs of such a file may not be read.
  const seen = new Set(await forgottenPaths(store.path));
  const fresh: Keyed[] = [];
  const known: Known[] = [];
  /** Of versions of the project, which `ingestFile` refuses. */
  const own = new Set<string>();
  for (const version of new Set(files.map((file) => file.version)))
    if (await store.isOwnVersion(version)) own.add(version);
  for (const file of files) {
    const path = storedPath(store, file.path);
    if (seen.has(path) || own.has(file.version)) continue;
    seen.add(path);
    const row = sources.get(path);
    if (row === undefined)
      fresh.push({ ...file, key: { path, kind: "rollouts", run: null, version: file.version } });
    else if (row["same"] === true && row["version"] === file.version)
      known.push({ ...file, consumed: numberOf(row, "consumed"), fingerprint: stringOf(row, "fingerprint") });
  }
  return { fresh, known };
}

/** The report of a file that is in the archive to its end; undefined for one that `ingestFile` has to look at. */
async function unchanged({ path, consumed, fingerprint }: Known): Promise<IngestReport | undefined> {
  const read = await readWhole(path);
  if (read?.length !== consumed || fingerprintOfBytes(read) !== fingerprint) return undefined;
  return { path, rows: 0, bad: 0, quarantined: [], bytes: 0, offset: consumed, pending: 0 };
}

async function nextSource(store: Store): Promise<bigint> {
  const [row = {}] = await store.query({
    sql: "SELECT coalesce(max(source) + 1, 0)::BIGINT AS next FROM sources",
    params: [],
  });
  return BigInt(numberOf(row, "next"));
}

/** The whole lines of a small file; undefined for one that has none, or that `ingestFile` has to look at. */
async function readSmall({ path, key }: Keyed, source: bigint): Promise<Read | undefined> {
  const all = await readWhole(path);
  const end = (all?.lastIndexOf(0x0a) ?? -1) + 1;
  if (all === undefined || end === 0) return undefined;
  const bytes = all.subarray(0, end);
  const fingerprint = fingerprintOfBytes(bytes);
  return {
    path,
    source: { ...key, source, consumed: end, lines: 0, fingerprint },
    bytes,
    pending: all.length - end,
  };
}

/** The bytes of a small file; undefined for a larger one, and for one that `ingestFile` says what is wrong with. */
async function readWhole(path: string): Promise<Buffer | undefined> {
  try {
    const file = await openEvidence(path);
    try {
      if ((await file.stat()).size > smallBytes) return undefined;
      const all = await file.readFile();
      return all.length > smallBytes ? undefined : all;
    } finally {
      await file.close();
    }
  } catch (e) {
    if (HarnessError.is(e, "notFound") || HarnessError.is(e, "badInput")) return undefined;
    throw e;
  }
}

/** Writes the rows of all files, and that each is read to its end, in one transaction; no report where an id is re-used. */
async function commitGroup(
  store: Store,
  group: readonly Read[],
  { batch, sources }: { readonly batch: Batch; readonly sources: TableBuffer },
): Promise<readonly IngestReport[]> {
  if (group.length === 0) return [];
  const state = ingestStateOf(store);
  if (state.nextRid < 0) state.nextRid = await nextRid(store);
  batch.restart({ start: 0, lines: 0, rid: state.nextRid });
  const read = group.map(({ path, source, bytes, pending }) => {
    const before = { rows: batch.records, bad: batch.problems.length };
    batch.turnTo(source);
    batch.addBlock({ start: 0, bytes, isText: isUtf8(bytes) }, 0, { lines: Infinity, end: Infinity });
    const quarantined = batch.problems.slice(before.bad);
    if (quarantined.length > 0)
      store.log.warn("evidence", "quarantined lines", { path: source.path, bad: quarantined.length });
    const report: IngestReport = {
      path,
      rows: batch.records - before.rows,
      bad: quarantined.length,
      quarantined: quarantined.slice(0, 1000),
      bytes: bytes.length,
      offset: bytes.length,
      pending,
    };
    return { report, source: { ...source, lines: batch.lines } };
  });
  if ((await reusedIds(store, state.ids, batch.identities)).size > 0) {
    batch.restart({ start: 0, lines: 0, rid: state.nextRid });
    forgetIngestState(store);
    return [];
  }
  await registerFiles(
    store.path,
    read.map(({ source }) => source),
  );
  for (const { source } of read) sources.add(sourceRow(source));
  const write = async (connection: DuckDBConnection): Promise<void> => {
    await sources.appendTo(connection);
    await batch.appendTo(connection);
  };
  try {
    const versions = read.map(({ source }) => source.version);
    await (batch.records < manyRows ? store.write(write, versions) : store.append(write, versions));
  } finally {
    sources.clear();
  }
  noteArrival(store);
  state.nextRid = batch.nextRid;
  for (const { source } of read) state.sources.set(source.path, { ...source, saved: source.consumed });
  batch.next();
  return read.map(({ report }) => report);
}

const sourceRow = ({ source, path, run, version, kind, consumed, lines, fingerprint }: Source) => [
  source,
  path,
  run,
  version,
  kind,
  consumed,
  lines,
  fingerprint,
  null,
  false,
];
