import { basename, dirname, relative, sep } from "node:path";
import { walkPaths, type Refuse } from "../../reading/walkFolder.ts";

/** A file below one of the paths that were asked for. */
export interface ListedFile {
  readonly path: string;
  /** With forward slashes, from the folder that holds what was asked for: short, and the same on every machine. */
  readonly name: string;
  /** Whether it was named itself, not found in a folder. */
  readonly named: boolean;
}

/**
 * All files at and below `paths`, in the order of their names. A folder that cannot be read is told to `refuse`.
 * @throws HarnessError notFound, badInput
 */
export async function listFiles(paths: readonly string[], refuse?: Refuse): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  for await (const { path, asked } of walkPaths(paths, { compare: inOrder, refuse })) {
    const named = path === asked;
    const name = named ? basename(path) : relative(dirname(asked), path).split(sep).join("/");
    files.push({ path, name, named });
  }
  return files;
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

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
