import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { codeOf, HarnessError } from "../../base/errors.ts";

/** A file below one of the paths that were asked for. */
export interface ListedFile {
  readonly path: string;
  /** With forward slashes, from the folder that holds what was asked for: short, and the same on every machine. */
  readonly name: string;
  /** Whether it was named itself, not found in a folder. */
  readonly named: boolean;
}

const skipped = new Set([".git", "node_modules", ".evotrainer", "__pycache__", ".venv"]);
const filesLimit = 200_000;

/**
 * All files at and below `paths`, in the order of their names.
 * @throws HarnessError notFound, badInput for a folder with too many files
 */
export async function listFiles(paths: readonly string[]): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  for (const asked of paths) {
    const path = resolve(asked);
    const found = await stat(path).catch((e: unknown) => {
      if (codeOf(e) === "ENOENT") throw new HarnessError("notFound", `There is no file or folder ${asked}.`);
      throw e;
    });
    if (!found.isDirectory()) files.push({ path, name: basename(path), named: true });
    else await walk(path, dirname(path), files);
  }
  return files;
}

async function walk(folder: string, base: string, files: ListedFile[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))) {
    const path = join(folder, entry.name);
    // Symbolic links are not followed: they may lead out of the folder or round in a circle.
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) await walk(path, base, files);
    } else if (entry.isFile()) {
      if (files.length >= filesLimit)
        throw new HarnessError(
          "badInput",
          `There are over ${filesLimit} files below ${folder}; name the folder of one run.`,
        );
      files.push({ path, name: relative(base, path).split(sep).join("/"), named: false });
    }
  }
}

/** Files by the part of their name before what `pattern` matches. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
