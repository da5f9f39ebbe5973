import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { codeOf } from "../../base/errors.ts";
import { recordPath, writeRecord } from "./jobRecords.ts";

/** What a job could only alter by touching a file, written down before it starts. */
const Watch = z.object({
  /** By path from the top level of the checkout; gone once the job is judged. */
  stamps: z.record(z.string(), z.string()),
  /** Paths from the top level that the job did not get: the audit split, unless it was asked for it. */
  withheld: z.array(z.string()).default([]),
  /** Digests of what git does not have, by the path that trainer.data names. */
  data: z.record(z.string(), z.string()),
});
export type Watch = z.infer<typeof Watch>;

export async function writeWatch(runDirectory: string, watch: Watch): Promise<void> {
  await writeRecord(runDirectory, "watch.json", watch);
}

/** Undefined for a run of an earlier release, or where nobody can read it. */
export async function readWatch(runDirectory: string): Promise<Watch | undefined> {
  try {
    const read = Watch.safeParse(JSON.parse(await readFile(recordPath(runDirectory, "watch.json"), "utf8")));
    return read.success ? read.data : undefined;
  } catch (e) {
    if (codeOf(e) === "ENOENT" || e instanceof SyntaxError) return undefined;
    throw e;
  }
}

/**
 * One stat per file and per folder on the way to it: where it lies on the disk, and when it was changed last. A program can
 * set the time of a change of content (mtime) back, but not that of a change of the file (ctime).
 */
export async function stampsOf(checkout: string, paths: readonly string[]): Promise<Record<string, string>> {
  const folders = new Set(paths.flatMap(foldersOf));
  const stamps: Record<string, string> = {};
  for (const path of [...folders, ...paths]) {
    const stamp = await stampOf(join(checkout, path));
    if (stamp !== undefined) stamps[path] = stamp;
  }
  return stamps;
}

/** The first path that was altered meanwhile, whatever is there now. */
export function touchedPath(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string | undefined {
  const found = Object.entries(before).find(([path, stamp]) => {
    const now = after[path];
    if (now === undefined || !stamp.startsWith("folder ")) return now !== stamp;
    // A folder changes with every file that is made in it, and is renamed when only its ctime is another.
    const [was, is] = [stamp.split(" "), now.split(" ")];
    return was[1] !== is[1] || (was[2] === is[2] && was[3] !== is[3]);
  });
  return found?.[0];
}

async function stampOf(path: string): Promise<string | undefined> {
  try {
    const stat = await lstat(path, { bigint: true });
    const times = `${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs}`;
    return stat.isDirectory() ? `folder ${times}` : `file ${times} ${stat.size}`;
  } catch (e) {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR") return undefined;
    throw e;
  }
}

function foldersOf(path: string): string[] {
  const steps = path.split("/").slice(0, -1);
  return steps.map((_, i) => steps.slice(0, i + 1).join("/"));
}
