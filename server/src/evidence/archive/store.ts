import { rm } from "node:fs/promises";
import { counted } from "../../../../shared/words/numbers.ts";
import { evidenceChangeText } from "../../../../shared/words/closedEvidence.ts";
import { HarnessError } from "../../base/errors.ts";
import { forgetDamage, isNotedDamaged, putAside, putOutdatedAside } from "../store/damage.ts";
import {
  noteFilled,
  openDatabase,
  type OpenedDatabase,
  type Store,
  type StoreOptions,
} from "../store/database.ts";
import { isDamaged } from "../store/storeErrors.ts";
import { ingestFile, type IngestReport } from "../ingest/ingest.ts";
import { importFiles } from "../importing/importFiles.ts";
import { planRegistered } from "../importing/plan.ts";
import { readRegistrations } from "../store/registrations.ts";
import { filePath } from "../store/sources.ts";

export type { Store, StoreOptions } from "../store/database.ts";
export type { Row, SqlFragment, SqlValue } from "../store/sql.ts";

/**
 * Opens the archive of a workspace, and rebuilds it first when it is missing, damaged, of another version or filled in
 * part while evidence files are registered. Only one process can hold it.
 * @throws HarnessError storeBusy, storeFailed, unsupportedFileSystem, diskFull
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const opened = (await isNotedDamaged(options.path)) ? undefined : await openSound(options);
  if (opened === undefined) return replaceDamaged(options);
  const { store, state } = opened;
  if (state === "current") return store;
  if (state === "created" || state === "partial") {
    await refill(store);
    return store;
  }
  store.log.warn("evidence", "archive has another version, rebuilding", { path: store.path });
  await store.close();
  return replaceOutdated(options);
}

/** Undefined when the file is damaged. */
async function openSound(options: StoreOptions): Promise<OpenedDatabase | undefined> {
  try {
    return await openDatabase(options);
  } catch (e) {
    if (isDamaged(e)) return undefined;
    throw e;
  }
}

/** Makes a damaged archive anew; what it held is put aside, because nothing else has what files that are gone brought. */
async function replaceDamaged(options: StoreOptions): Promise<Store> {
  await assertNotHeld(options);
  const aside = await putAside(options.path);
  const { store, reports, missing, imported } = await rebuildStore(options);
  options.onReplaced?.(
    `The archive ${store.path} was damaged, so ${rebuiltText({ reports, imported })} The damaged file is now ${aside}; delete it when you do not need it any more.${leftOut(missing)}`,
  );
  store.log.warn("evidence", "archive was damaged and is rebuilt", { path: store.path, aside });
  return store;
}

/** Makes an archive of another release anew; what it held is kept only if files are gone that it was made from. */
async function replaceOutdated(options: StoreOptions): Promise<Store> {
  await assertNotHeld(options);
  const aside = await putOutdatedAside(options.path);
  const { store, reports, missing, imported } = await rebuildStore(options);
  if (missing.length === 0) await rm(aside, { force: true });
  const kept =
    missing.length === 0
      ? ""
      : ` The archive of before is now ${aside}, which the release that made it can read.${leftOut(missing)}`;
  options.onReplaced?.(
    `The archive ${store.path} was made by another release, so ${rebuiltText({ reports, imported })}${kept}`,
  );
  return store;
}

function rebuiltText({ reports, imported }: Pick<Rebuilt, "reports" | "imported">): string {
  const records = reports.reduce((n, { rows }) => n + rows, 0) + imported;
  return `EvoTrainer rebuilt it from the files of the runs: ${counted(records, "record")}. Labels are computed again when they are asked for.`;
}

function leftOut(missing: Rebuilt["missing"]): string {
  if (missing.length === 0) return "";
  const named = missing.slice(0, 5).map(({ path, reason }) => `${path} (${reason})`);
  const more = missing.length > 5 ? `; and ${missing.length - 5} more files` : "";
  return ` Left out: ${named.join("; ")}${more}`;
}

export interface Rebuilt {
  readonly store: Store;
  readonly reports: readonly IngestReport[];
  /** Records of foreign files that were brought in again. */
  readonly imported: number;
  /** Registered files that are gone, that cannot be read, or that do not count as they are now, in whole or in part. */
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
  await forgetDamage(options.path);
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
      const report = await ingestFile(store, { path: file, kind, version, ...(run === null ? {} : { run }) });
      reports.push(report);
      if (report.change !== undefined) missing.push({ path, reason: evidenceChangeText(report.change) });
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
