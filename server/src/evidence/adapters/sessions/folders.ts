import { dirname } from "node:path";
import type { ForeignFile } from "../parts/adapter.ts";

/** The path of the folder that lies so many folders above the file's own. */
export function folderAbove(file: ForeignFile, levels: number): string {
  let path = dirname(file.path);
  for (let i = 0; i < levels; i++) path = dirname(path);
  return path;
}
