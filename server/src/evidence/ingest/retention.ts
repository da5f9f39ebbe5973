import { realpath, rm } from "node:fs/promises";
import { sep } from "node:path";
import { codeOf, HarnessError } from "../../base/errors.ts";
import type { Store } from "../store/database.ts";
import { makeBinder, type SqlFragment } from "../store/sql.ts";
import { dropRows, type Concerned } from "./dropRows.ts";
import { forgetIngestState } from "./ingest.ts";
import { bigintOf, numberOf, stringOf } from "../store/rows.ts";
import { forgetRegistrations, type Forgotten } from "../store/registrations.ts";
import { filePath } from "../store/sources.ts";

/** What leaves the archive: everything of a version, or of one run. */
export type ForgetTarget = { readonly version: string } | { readonly run: string };

export interface ForgetResult {
  /** The evidence files concerned; of one that is not `whole` only the named run is forgotten. */
  readonly sources: readonly { readonly path: string; readonly whole: boolean }[];
  /** Rows dropped. */
  readonly rollouts: number;
  readonly turns: number;
  readonly metrics: number;
  readonly scores: number;
  readonly quarantined: number;
  readonly deletedFiles: readonly string[];
  /** Files that were to be deleted and were not, with the reason. */
  readonly keptFiles: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * Drops what a version or a run has in the archive, so that a rebuild does not bring it back; importing a file again does.
 * The evidence files stay, unless `deleteFiles` asks for their deletion, and then those outside the evidence folder stay.
 * The registrations are written first: after a crash the call is to be repeated. The room in the database is returned by
 * `compactStore`.
 * @throws HarnessError notFound when the archive has nothing of it, diskFull, storeFailed
 */
export function forget(
  store: Store,
  target: ForgetTarget,
  options: { readonly deleteFiles?: boolean } = {},
): Promise<ForgetResult> {
  return store.exclusive("ingest", async () => {
    const sources = await sourcesOf(store, target);
    if (sources.length === 0)
      throw new HarnessError(
        "notFound",
        `The archive has nothing of ${nameOf(target)}.${await inOther(store, target)}`,
      );
    await forgetRegistrations(
      store.path,
      sources.map(({ path, whole }): Forgotten =>
        whole || !("run" in target) ? { forget: path } : { forget: path, run: target.run },
      ),
    );
    forgetIngestState(store);
    const dropped = await dropRows(store, sources, "run" in target ? target.run : undefined);
    const files =
      options.deleteFiles === true ? await deleteFiles(store, sources) : { deletedFiles: [], keptFiles: [] };
    store.log.info("evidence", "forgot", { ...target, ...dropped, deleted: files.deletedFiles.length });
    return { sources: sources.map(({ path, whole }) => ({ path, whole })), ...dropped, ...files };
  });
}

const nameOf = (target: ForgetTarget): string =>
  "run" in target ? `the run ${target.run}` : `the version ${target.version}`;

/** Where a version is one of several in a file of scores, or a run one of several in a chart, which go as a whole. */
async function inOther(store: Store, target: ForgetTarget): Promise<string> {
  const [column, name] = "version" in target ? ["version", target.version] : ["run", target.run];
  const [score] =
    column === "run"
      ? []
      : await store.query({
          sql: "SELECT f.path, f.run FROM scores s JOIN sources f USING (source) WHERE s.version = ? LIMIT 1",
          params: [name],
        });
  if (score !== undefined)
    return ` Its score is a row of ${stringOf(score, "path")}: take the row out and import the file again, or forget all of it with --run ${stringOf(score, "run")}.`;
  const [chart] = await store.query({
    sql: `SELECT f.path, f.run FROM metrics m JOIN sources f USING (source) WHERE m.${column} = ? LIMIT 1`,
    params: [name],
  });
  return chart === undefined
    ? ""
    : ` Its metrics stand beside those of other runs in ${stringOf(chart, "path")}: forget all of it with --run ${stringOf(chart, "run")}.`;
}

/** The files of a version or a run; a file that holds several runs is concerned by one of them in part. */
async function sourcesOf(store: Store, target: ForgetTarget): Promise<Concerned[]> {
  const rows = await store.query(
    "version" in target
      ? {
          sql: "SELECT source, path, true AS whole FROM sources WHERE version = ? ORDER BY source",
          params: [target.version],
        }
      : {
          sql: `SELECT source, path, run IS NOT NULL AS whole FROM sources
                WHERE run = ? OR (run IS NULL AND source IN (SELECT source FROM rollouts WHERE run = ?))
                ORDER BY source`,
          params: [target.run, target.run],
        },
  );
  return rows.map((row) => ({
    source: bigintOf(row, "source"),
    path: stringOf(row, "path"),
    whole: row["whole"] === true,
  }));
}

async function deleteFiles(
  store: Store,
  sources: readonly Concerned[],
): Promise<Pick<ForgetResult, "deletedFiles" | "keptFiles">> {
  const deletedFiles: string[] = [];
  const keptFiles: { path: string; reason: string }[] = [];
  const root = await realpath(store.evidenceRoot);
  for (const { path, whole } of sources) {
    const reason = whole ? await deleteInside(root, filePath(store, path)) : "it contains other runs";
    if (reason === undefined) deletedFiles.push(path);
    else keptFiles.push({ path, reason });
  }
  return { deletedFiles, keptFiles };
}

/** Deletes a file that lies in a folder, also when links are followed; the reason when it does not. */
async function deleteInside(root: string, file: string): Promise<string | undefined> {
  try {
    if (!(await realpath(file)).startsWith(root + sep)) return "it lies outside the evidence folder";
    await rm(file);
    return undefined;
  } catch (e) {
    return codeOf(e) === "ENOENT" ? "it no longer exists" : `it cannot be deleted (${codeOf(e) ?? ""})`;
  }
}

/** Whose text is dropped: that of the train split of these versions, where `startedBefore` is given of older rollouts only. */
export interface TrimOptions {
  readonly versions: readonly string[];
  readonly startedBefore?: Date;
  readonly signal?: AbortSignal;
}

export interface TrimResult {
  /** Rollouts whose text this call dropped. */
  readonly rollouts: number;
  readonly turns: number;
}

const trimRows = 50_000;

/**
 * Drops the text of turns and keeps everything else: scores, labels, features, which tools were called. A trimmed text is
 * NULL, so that a condition on it has no value, and a rollout that is read says so. A rebuild brings the text back from
 * the files that are still there. Goes range by range: cut off, it goes on when it is called again.
 * @throws HarnessError cancelled, diskFull, storeFailed
 */
export async function trim(store: Store, options: TrimOptions): Promise<TrimResult> {
  const { versions, startedBefore } = options;
  if (versions.length === 0) return { rollouts: 0, turns: 0 };
  const old = startedBefore === undefined ? "" : "AND TRY_CAST(r.started_at AS TIMESTAMP) < ?::TIMESTAMP";
  const chosen: SqlFragment = {
    sql: `SELECT r.rid FROM rollouts r WHERE r.split = 'train' AND r.version IN (SELECT unnest(?)) ${old}`,
    params: [versions, ...(startedBefore === undefined ? [] : [startedBefore.toISOString()])],
  };
  const [bounds] = await store.query({
    sql: `SELECT coalesce(min(rid), 0)::BIGINT AS low, coalesce(max(rid), -1)::BIGINT AS high FROM (${chosen.sql})`,
    params: chosen.params,
  });
  const high = numberOf(bounds ?? {}, "high");
  let [rollouts, turns] = [0, 0];
  for (let low = numberOf(bounds ?? {}, "low"); low <= high; low += trimRows) {
    if (options.signal?.aborted === true)
      throw new HarnessError("cancelled", "Trimming was cancelled; what was trimmed stays trimmed.");
    const range = `BETWEEN ${low} AND ${Math.min(high, low + trimRows - 1)}`;
    const part = await trimRange(store, chosen, range);
    rollouts += part.rollouts;
    turns += part.turns;
  }
  return { rollouts, turns };
}

async function trimRange(store: Store, chosen: SqlFragment, range: string): Promise<TrimResult> {
  const holds = `rid ${range} AND text IS NOT NULL AND rid IN (${chosen.sql} AND r.rid ${range})`;
  const { values, types } = makeBinder(store.duckdb)(chosen.params);
  return store.write(async (connection) => {
    const counted = await connection.runAndReadAll(
      `SELECT count(DISTINCT rid) AS n FROM turns WHERE ${holds}`,
      values,
      types,
    );
    const rollouts = numberOf(counted.getRowObjectsJS()[0] ?? {}, "n");
    if (rollouts === 0) return { rollouts, turns: 0 };
    const updated = await connection.run(`UPDATE turns SET text = NULL WHERE ${holds}`, values, types);
    return { rollouts, turns: updated.rowsChanged };
  });
}
