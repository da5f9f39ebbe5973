import { rm } from "node:fs/promises";
import { HarnessError } from "../../base/errors.ts";
import { noteFilled, openDatabase, type Store, type StoreOptions } from "../store/database.ts";
import { ingestFile, type IngestReport } from "../ingest/ingest.ts";
import { importFiles } from "../importing/importFiles.ts";
import { planRegistered } from "../importing/plan.ts";
import { readRegistrations } from "../store/registrations.ts";
import { filePath } from "../store/sources.ts";

export type { Row, SqlFragment, SqlValue, Store, StoreOptions } from "../store/database.ts";

/**
 * Opens the archive of a workspace, and rebuilds it first when it is missing, of another version or filled in part while
 * evidence files are registered. Only one process can hold it.
 * @throws HarnessError storeBusy, storeFailed, unsupportedFileSystem, diskFull
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { store, state } = await openDatabase(options);
  if (state === "current") return store;
  if (state === "created" || state === "partial") {
    await refill(store);
    return store;
  }
  store.log.warn("evidence", "archive has another version, rebuilding", { path: store.path });
  await store.close();
  return (await rebuildStore(options)).store;
}

export interface Rebuilt {
  readonly store: Store;
  readonly reports: readonly IngestReport[];
  /** Records of foreign files that were brought in again. */
  readonly imported: number;
  /** Registered files that are gone, or that cannot be read. */
  readonly missing: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * Drops the database and ingests every registered file again; cut off, the next opening goes on with it. Labels are not
 * in the files: they are computed anew from the diagnostics. The store must not be open.
 * @throws HarnessError storeBusy, unsupportedFileSystem, diskFull
 */
export async function rebuildStore(options: StoreOptions): Promise<Rebuilt> {
  await assertNotHeld(options);
  for (const suffix of ["", ".wal", ".tmp"])
    await rm(`${options.path}${suffix}`, { force: true, recursive: true });
  const { store } = await openDatabase(options);
  return { store, ...(await refill(store)) };
}

/** A damaged file may be deleted; one that another engine works on may not. */
async function assertNotHeld(options: StoreOptions): Promise<void> {
  try {
    await (await openDatabase(options)).store.close();
  } catch (e) {
    if (!HarnessError.is(e, "storeFailed")) throw e;
  }
}

async function refill(store: Store): Promise<Omit<Rebuilt, "store">> {
  const reports: IngestReport[] = [];
  const missing: { path: string; reason: string }[] = [];
  const registered = await readRegistrations(store.path);
  for (const { path, kind, run, version, imported } of registered) {
    if (imported !== undefined) continue;
    try {
      const file = filePath(store, path);
      reports.push(await ingestFile(store, { path: file, kind, version, ...(run === null ? {} : { run }) }));
    } catch (e) {
      if (!HarnessError.is(e, "notFound") && !HarnessError.is(e, "badInput")) throw e;
      missing.push({ path, reason: e.message });
      store.log.warn("evidence", "registered file left out", { path, reason: e.message });
    }
  }
  const foreign = registered.filter((key) => key.imported !== undefined);
  const skipped = { refused: missing };
  const counts = await importFiles({ store }, planRegistered(store, foreign, skipped));
  missing.push(...counts.refused);
  await noteFilled(store);
  return { reports, missing, imported: counts.rollouts + counts.metrics };
}
