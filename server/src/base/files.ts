import { randomBytes } from "node:crypto";
import { access, chmod, mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf, HarnessError } from "./errors.ts";

/**
 * Replaces a file so that a reader, and a crash at any point, sees the old or the new content, never a part. The mode
 * holds from the first byte on.
 * @throws HarnessError diskFull
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array | Iterable<string | Uint8Array>,
  { mode = 0o666 }: { readonly mode?: number } = {},
): Promise<void> {
  const temporary = join(dirname(path), `.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", mode);
    try {
      await writeFile(file, content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (e) {
    await rm(temporary, { force: true });
    throw diskError(e, path);
  }
}

/** Makes a folder that only its user can look into; one that is there already becomes so, if it is the user's. */
export async function privateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await makePrivate(path, 0o700);
}

/** Takes a file or folder of the engine from everybody else; passes over one that is not there, or not the user's. */
export async function makePrivate(path: string, mode: number): Promise<void> {
  // Windows keeps a user's own folders private by itself.
  if (process.platform === "win32") return;
  try {
    if (((await stat(path)).mode & 0o777) !== mode) await chmod(path, mode);
  } catch (e) {
    if (!["ENOENT", "EPERM", "EROFS", "ENOTSUP", "EINVAL"].includes(codeOf(e) ?? "")) throw e;
  }
}

/** Removes what `writeFileAtomic` left in a folder when its process was killed; nobody may be writing there. */
export async function sweepTemporaries(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (/^\.[0-9a-f]{12}\.tmp$/.test(name)) await rm(join(folder, name), { force: true });
}

/** Turns "no space left" into the reason that the loop knows; returns anything else as it is. */
export function diskError(e: unknown, path: string): unknown {
  return codeOf(e) === "ENOSPC" || codeOf(e) === "EDQUOT"
    ? new HarnessError(
        "diskFull",
        `The disk is full: could not write ${path}; free some space and run again.`,
        { cause: e },
      )
    : e;
}

/** Whether there is something at a path. */
export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
