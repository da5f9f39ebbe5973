import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { copyFile, lstat, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import type { Repository } from "../repository.ts";
import type { TreeEntry } from "./treeAt.ts";

/** What Git LFS commits in place of a large file: the name of its content. */
export interface Pointer {
  readonly sha256: string;
  readonly size: number;
}

const pointerText =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n$/;
/** No pointer is longer. */
export const longestPointer = 1024;

export function pointerIn(text: string): Pointer | undefined {
  const [, sha256, size] = pointerText.exec(text) ?? [];
  return sha256 === undefined ? undefined : { sha256, size: Number(size) };
}

/**
 * Puts the contents that pointers of Git LFS name in their places below `directory`, from what git-lfs has fetched. The
 * pointers are part of the commit and name contents by hash, so no filter has to be trusted.
 * @throws HarnessError notFound when a content was not fetched, gitFailed when it is not the one that was named
 */
export async function fillLfsContents(
  { commonDir, root }: Pick<Repository, "commonDir" | "root">,
  directory: string,
  entries: readonly TreeEntry[],
): Promise<void> {
  const store = join(commonDir, "lfs", "objects");
  if (!(await exists(join(commonDir, "lfs"))) || !(await usesLfs(directory, entries))) return;
  for (const { path, mode } of entries) {
    const file = join(directory, path);
    if (!mode.startsWith("100") || (await lstat(file)).size > longestPointer) continue;
    const pointer = pointerIn(await readFile(file, "utf8"));
    if (pointer === undefined) continue;
    const { sha256 } = pointer;
    await rm(file);
    try {
      const kept = join(store, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
      await copyFile(kept, file, constants.COPYFILE_FICLONE);
    } catch (e) {
      if (codeOf(e) !== "ENOENT") throw e;
      throw new HarnessError(
        "notFound",
        `The content of ${path} is kept in Git LFS and is not on this machine; run git lfs fetch --all in ${root}, and run again.`,
      );
    }
    if (!(await isContentOf(pointer, file)))
      throw new HarnessError(
        "gitFailed",
        `What Git LFS keeps for ${path} is not the content that the commit names; run git lfs fsck in ${root}.`,
      );
  }
}

async function usesLfs(directory: string, entries: readonly TreeEntry[]): Promise<boolean> {
  for (const { path } of entries)
    if (
      /(^|\/)\.gitattributes$/.test(path) &&
      (await readFile(join(directory, path), "utf8")).includes("filter=lfs")
    )
      return true;
  return false;
}

/** Whether a file is the content that a pointer names. */
export async function isContentOf({ sha256, size }: Pointer, file: string): Promise<boolean> {
  if ((await lstat(file)).size !== size) return false;
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex") === sha256;
}
