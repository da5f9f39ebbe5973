import { readdir, readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { codeOf } from "../base/errors.ts";
import { linksOnDisk, type Links } from "./frozen/links.ts";

/** Where a project's files are read from: the work tree, or a commit. Paths are relative, with forward slashes. */
export interface FileSource {
  /** What to call it in a message, e.g. "the work tree" or "commit 1a2b3c4". */
  readonly name: string;
  /** The folder on this disk, where it is one. */
  readonly folder?: string;
  read(path: string): Promise<string | undefined>;
  /** Files directly in a folder, sorted; empty when there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /** Its symbolic links; left out where nobody can know them. */
  links?(): Promise<Links>;
}

/** The files as they lie on disk under `root`. */
export function workTree(root: string): FileSource {
  return {
    name: "the work tree",
    folder: root,
    async read(path) {
      try {
        return await readFile(join(root, path), "utf8");
      } catch (e) {
        if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR") return undefined;
        throw e;
      }
    },
    async list(folder) {
      try {
        const entries = await readdir(join(root, folder), { withFileTypes: true });
        return entries
          .filter((e) => e.isFile())
          .map((e) => posix.join(folder, e.name))
          .sort();
      } catch (e) {
        if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR") return [];
        throw e;
      }
    },
    links: () => Promise.resolve(linksOnDisk(root)),
  };
}
