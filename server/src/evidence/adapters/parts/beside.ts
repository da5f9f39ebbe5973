import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ForeignFile } from "./adapter.ts";

/** A neighbour above this size is left alone: no record of a run is that large. */
const maxTextBytes = 16 * 1024 * 1024;

const pathOf = (file: ForeignFile, relativePath: string): string => join(dirname(file.path), relativePath);

/** Names in a folder at a path relative to the file's folder, sorted; none when there is no such folder. */
export async function namesBeside(file: ForeignFile, relativePath: string): Promise<readonly string[]> {
  try {
    return (await readdir(pathOf(file, relativePath))).sort();
  } catch {
    return [];
  }
}

/** The text of a file at a path relative to the file's folder; undefined when there is none of at most 16 MiB. */
export async function textBeside(file: ForeignFile, relativePath: string): Promise<string | undefined> {
  try {
    const path = pathOf(file, relativePath);
    const stats = await stat(path);
    return stats.isFile() && stats.size <= maxTextBytes ? await readFile(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

/** Whether there is a file at a path relative to the file's folder. */
export async function isBeside(file: ForeignFile, relativePath: string): Promise<boolean> {
  try {
    return (await stat(pathOf(file, relativePath))).isFile();
  } catch {
    return false;
  }
}
