import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../../base/errors.ts";
import { writeFileAtomic } from "../../base/files.ts";

// The engine's own records of runs. A job writes in its run's folder, so nothing is believed that lies there.

/**
 * Records of a run: how its job is confined, marks of the evaluation files before it, what it was asked for, what its files were when it
 * had ended, what its policy was then, the verdict.
 */
export type RecordName =
  | "confinement.json"
  | "watch.json"
  | "asked.json"
  | "closing.json"
  | "stamps.json"
  | "policy.json"
  | "policyFiles.json"
  | "outcome.json";

/** What releases before kept in the folder of the run itself. */
const formerly: readonly RecordName[] = ["outcome.json"];

/** The folder of all records: beside that of the runs, of which `runDirectory` is one. */
export function recordsFolder(runDirectory: string): string {
  return join(dirname(dirname(runDirectory)), "records");
}

/** The folder of the records of one run. */
function recordsOf(runDirectory: string): string {
  return join(recordsFolder(runDirectory), "runs", basename(runDirectory));
}

/** Where a record is to be read: in the run's own folder only in a project in which this release has run no job yet. */
export function recordPath(runDirectory: string, name: RecordName): string {
  return existsSync(recordsFolder(runDirectory))
    ? join(recordsOf(runDirectory), name)
    : join(runDirectory, name);
}

/** Replaces a record of a run. @throws HarnessError diskFull */
export async function writeRecord(runDirectory: string, name: RecordName, content: object): Promise<void> {
  // The folder being there means that earlier records are in it.
  await adoptRecords(runDirectory);
  const folder = recordsOf(runDirectory);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFileAtomic(join(folder, name), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
}

/**
 * To be called before a job is submitted or judged: copies the records that earlier releases kept in the folders of
 * their runs, once. From then on those folders are not asked any more, also not those of runs to come.
 */
export async function adoptRecords(runDirectory: string): Promise<void> {
  const folder = recordsFolder(runDirectory);
  if (existsSync(folder)) return;
  const runs = dirname(runDirectory);
  // Jobs begin side by side, and engines too.
  const making = `${folder}.${randomBytes(6).toString("hex")}.new`;
  await mkdir(join(making, "runs"), { recursive: true, mode: 0o700 });
  for (const run of await namesIn(runs))
    for (const name of formerly) {
      const from = join(runs, run, name);
      // When a run ended is told by the file's time.
      if (!existsSync(from)) continue;
      await mkdir(join(making, "runs", run), { recursive: true, mode: 0o700 });
      await cp(from, join(making, "runs", run, name), { preserveTimestamps: true });
    }
  try {
    await rename(making, folder);
  } catch (e) {
    await rm(making, { recursive: true, force: true });
    // Another engine was faster.
    if (codeOf(e) !== "ENOTEMPTY" && codeOf(e) !== "EEXIST") throw e;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder, { withFileTypes: true })).filter((e) => e.isDirectory()).map((e) => e.name);
  } catch (e) {
    if (codeOf(e) === "ENOENT") return [];
    throw e;
  }
}
