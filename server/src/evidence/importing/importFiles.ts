import { createHash } from "node:crypto";
import { HarnessError } from "../../base/errors.ts";
import { Refusal, type FileAdapter, type ForeignFile, type LineAdapter } from "../adapters/parts/adapter.ts";
import { nextRid } from "../ingest/ingest.ts";
import { openEvidence, readLines } from "../contract/readLines.ts";
import { assertUnchanged, fingerprintOf } from "../store/sources.ts";
import { parseForeignJson } from "../adapters/parts/foreignJson.ts";
import { dropRecords, ImportBatch, type Progress } from "./importBatch.ts";
import type { PlannedFile } from "./plan.ts";
import { noCounts, type ImportCounts, type ImportRun } from "./importRun.ts";
import { Records } from "./records.ts";

/**
 * Brings foreign files into the archive, each exactly once: how far a file is, is committed together with its records, so
 * that a second import changes nothing and one that was cut goes on where the tables end. A file that grew is read on; one
 * that is read as a whole and changed is replaced. A file that cannot be read costs that file only.
 * @throws HarnessError cancelled, diskFull, storeFailed
 */
export async function importFiles(
  run: ImportRun,
  planned: AsyncIterable<PlannedFile> | Iterable<PlannedFile>,
): Promise<ImportCounts> {
  const { store } = run;
  const counts = noCounts();
  const batch = await ImportBatch.open(store, await nextRid(store));
  const records = new Records(run, batch, counts);
  const countedPaths = new Set<string>();
  for await (const { file, adapter, progress, registered, anew } of planned) {
    stopIfAsked(run);
    if (anew && !progress.isNew) await takeOut(records, run, progress);
    const reading = { run, records, counts, file, progress, registered };
    let outcome: "read" | "unchanged" | "refused" = "refused";
    // What was looked at to recognise the file says nothing about what is read of it.
    file.nonFinite.clear();
    try {
      const changed =
        adapter.unit === "line" ? await readByLine(reading, adapter) : await readWhole(reading, adapter);
      outcome = changed ? "read" : "unchanged";
    } catch (e) {
      if (!HarnessError.is(e, "badInput") && !HarnessError.is(e, "notFound") && !Refusal.is(e)) throw e;
      counts.refused.push({ path: file.path, reason: e.message });
    }
    // Files may read one document beside them together.
    for (const [path, count] of file.nonFinite) {
      if (!countedPaths.has(path)) counts.nonFinite += count;
      countedPaths.add(path);
    }
    if (outcome !== "refused") counts[outcome]++;
    run.onProgress?.(counts);
  }
  await records.settle();
  await records.commit();
  return counts;
}

/** What a file brought in under other options goes, so that it can be read anew. */
async function takeOut(records: Records, run: ImportRun, progress: Progress): Promise<void> {
  await records.settle();
  await records.commit();
  await dropRecords(run.store, progress);
  records.forgetRuns();
}

interface Reading {
  readonly run: ImportRun;
  readonly records: Records;
  readonly counts: ImportCounts;
  readonly file: ForeignFile;
  readonly progress: Progress;
  readonly registered: boolean;
}

function stopIfAsked({ signal }: ImportRun): void {
  if (signal?.aborted === true)
    throw new HarnessError("cancelled", "The import was cancelled; what was read is kept.");
}

/** Reads on from where the archive has the file. Whether there was anything new. */
async function readByLine(reading: Reading, adapter: LineAdapter): Promise<boolean> {
  const { run, records, counts, file, progress, registered } = reading;
  const { consumed, fingerprint } = progress;
  const handle = await openEvidence(file.path);
  const markPlace = async (): Promise<void> => {
    progress.fingerprint = await fingerprintOf(handle, progress.consumed);
  };
  try {
    await assertUnchanged(handle, { ...progress.source, consumed, fingerprint }, file.path);
    if (file.size === consumed && !progress.isNew) return false;
    const prepared = await adapter.prepare?.(file);
    await records.begin(file, adapter, progress, registered);
    for await (const lines of readLines(handle, consumed)) {
      for (const line of lines) {
        const parsed = parseForeignJson(line);
        // A last line without its newline may still be written; it is taken once it is a whole value.
        if (!line.complete && parsed.type === "bad") {
          counts.waiting.push({ path: file.path, bytes: line.end - line.start });
          break;
        }
        const number = progress.records + 1;
        const at = {
          line: number,
          offset: line.start,
          raw: () => line.bytes.subarray(0, 4096).toString("utf8"),
        };
        if (parsed.type === "bad") records.refuse({ ...at, reason: parsed.reason, raw: at.raw() });
        else if (parsed.type === "record") {
          counts.nonFinite += parsed.nonFinite;
          records.attempt({ ...at, nonFinite: parsed.nonFinite }, () =>
            adapter.convert(parsed.record, { file, line: number, prepared }),
          );
        }
        progress.records = number;
        progress.consumed = line.end;
        if (!records.full) continue;
        await records.settle(markPlace);
        stopIfAsked(run);
      }
    }
    await markPlace();
    return progress.consumed > consumed;
  } finally {
    await handle.close();
  }
}

/** Reads the file from its beginning when it is not the one that the archive has. Whether it was read. */
async function readWhole(reading: Reading, adapter: FileAdapter): Promise<boolean> {
  const { run, records, counts, file, progress, registered } = reading;
  const fingerprint = await hashOf(file);
  if (progress.complete && progress.fingerprint === fingerprint) return false;
  if (progress.fingerprint !== fingerprint && progress.records > 0) {
    await takeOut(records, run, progress);
  }
  const done = progress.records;
  progress.fingerprint = fingerprint;
  progress.complete = false;
  await records.begin(file, adapter, progress, registered);
  for await (const entry of adapter.read(file)) {
    if ("waiting" in entry) {
      counts.waiting.push({ path: file.path, bytes: entry.waiting });
      continue;
    }
    if (entry.record <= done) continue;
    const place = { line: entry.record, offset: 0 };
    if ("problem" in entry) records.refuse({ ...place, reason: entry.problem, raw: entry.raw ?? "" });
    else {
      const { drafts, nonFinite = 0 } = entry;
      counts.nonFinite += nonFinite;
      records.attempt({ ...place, raw: () => "", nonFinite }, () => drafts);
    }
    progress.records = progress.consumed = entry.record;
    if (!records.full) continue;
    await records.settle();
    stopIfAsked(run);
  }
  progress.complete = true;
  return true;
}

async function hashOf({ path, head, size }: ForeignFile): Promise<string> {
  const hash = createHash("sha256");
  if (size <= head.length) return hash.update(head).digest("hex");
  const handle = await openEvidence(path);
  try {
    for await (const chunk of handle.createReadStream({ highWaterMark: 1024 * 1024, autoClose: false }))
      hash.update(Buffer.from(chunk));
  } finally {
    await handle.close();
  }
  return hash.digest("hex");
}
