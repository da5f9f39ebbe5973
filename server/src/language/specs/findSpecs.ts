import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { specKindOf } from "../syntax/specKind.ts";

const skipped = new Set(["node_modules", ".git", ".evotrainer", ".hg", ".svn", ".venv", "__pycache__"]);
const maxFolders = 20_000;

/** Whether a path lies in a part of a folder that is searched: not in other people's packages, nor in our own runs. */
export function isSearched(root: string, path: string): boolean {
  const steps = relative(root, path).split(sep);
  return steps[0] !== ".." && !steps.some((step) => skipped.has(step));
}

/** Every spec file below a folder, sorted, as far as `findFiles` looks. */
export const findSpecs = (root: string): Promise<string[]> =>
  findFiles(root, (name) => specKindOf(name) !== undefined);

/**
 * The files below a folder whose names are wanted, sorted. Links are not followed and folders that cannot be read are
 * passed over; a tree of more than 20,000 folders is searched as far as that.
 */
export async function findFiles(root: string, isWanted: (name: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  const folders = [root];
  for (let i = 0; i < folders.length && i < maxFolders; i++) {
    const folder = folders[i] ?? root;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) folders.push(join(folder, entry.name));
      } else if (entry.isFile() && isWanted(entry.name)) found.push(join(folder, entry.name));
    }
  }
  return found.sort();
}
