import { lstat, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { codeOf } from "../../base/errors.ts";
import { writeFileAtomic } from "../../base/files.ts";

/** How the owner of an archive is reached. Whoever can read the token may ask for everything: it is for its user alone. */
const OwnerFile = z.object({ pid: z.int().positive(), address: z.string(), token: z.string().min(32) });
export type OwnerFile = z.infer<typeof OwnerFile>;

/** The file beside the archive. A dead owner leaves it behind, and a closing one as well: its pid tells them apart. */
function ownerFilePath(archive: string): string {
  return join(dirname(archive), "owner.json");
}

/** Replaces the file at once; it is never readable by others, not even while it is written. */
export async function writeOwnerFile(archive: string, content: OwnerFile): Promise<void> {
  await writeFileAtomic(ownerFilePath(archive), `${JSON.stringify(content)}\n`, { mode: 0o600 });
}

/** The last owner's file; undefined where there is none, or one that somebody else wrote or could have written. */
export async function readOwnerFile(archive: string): Promise<OwnerFile | undefined> {
  const path = ownerFilePath(archive);
  try {
    const found = await lstat(path);
    if (!found.isFile() || !isPrivate(found)) return undefined;
    const parsed = OwnerFile.safeParse(JSON.parse(await readFile(path, "utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch (e) {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR" || e instanceof SyntaxError) return undefined;
    throw e;
  }
}

/** Whether only this user can use a file or folder. Windows keeps the user's own folders private by itself. */
export function isPrivate(found: { readonly uid: number; readonly mode: number }): boolean {
  const uid = process.getuid?.();
  return uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0);
}

/** Whether there is a process of this number. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (e) {
    return codeOf(e) === "EPERM";
  }
}
