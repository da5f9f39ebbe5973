import { mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { storeError } from "./storeErrors.ts";

/** The lock of the file system is per process, so a second open in this process has to be refused here. */
const openHere = new Set<string>();

/** Takes a database path for this process's one user of it. @throws HarnessError storeBusy, unsupportedFileSystem */
export async function claimPath(given: string): Promise<string> {
  const path = await canonicalPath(given);
  if (openHere.has(path))
    throw new HarnessError(
      "storeBusy",
      `Another engine (pid ${process.pid}, this process) owns this workspace's archive ${path}; use the store that is open.`,
    );
  openHere.add(path);
  return path;
}

/** Lets the next one have a path that was claimed. */
export const releasePath = (path: string): boolean => openHere.delete(path);

/** Runs `work` on the canonical path of a database while nothing else in this process may open it. */
export async function ownPath<T>(given: string, work: (path: string) => Promise<T>): Promise<T> {
  const path = await claimPath(given);
  try {
    return await work(path);
  } finally {
    releasePath(path);
  }
}

async function canonicalPath(path: string): Promise<string> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return join(await realpath(dirname(path)), basename(path));
  } catch (e) {
    const code = codeOf(e) ?? "";
    if (code === "ENOSPC" || code === "EDQUOT") throw storeError(e, path);
    throw new HarnessError(
      "unsupportedFileSystem",
      `The folder of the archive ${path} cannot be made (${code}); move the workspace to a folder that you may write to.`,
      { cause: e },
    );
  }
}
