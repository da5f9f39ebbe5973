import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { exists } from "../../base/files.ts";
import { archivePath, runsFolder } from "./archive.ts";
import { engineFolderOf } from "./workspace.ts";

/** Where a project and its archive lie. */
export interface EnginePlace {
  /** The project's folder. */
  readonly root: string;
  /** The archive's file; it may not exist yet. */
  readonly archive: string;
  /** The folder that paths of evidence files are kept relative to. */
  readonly evidenceRoot: string;
}

/** The place of the project in `root`. */
export function placeOf(root: string): EnginePlace {
  const engineFolder = engineFolderOf(root);
  return { root, archive: archivePath({ engineFolder }), evidenceRoot: runsFolder({ engineFolder }) };
}

/** One name for one archive, however it was reached. */
export async function canonicalArchive({ archive }: EnginePlace): Promise<string> {
  const missing: string[] = [basename(archive)];
  let folder = dirname(archive);
  for (; !(await exists(folder)) && dirname(folder) !== folder; folder = dirname(folder))
    missing.unshift(basename(folder));
  return join(await realpath(folder), ...missing);
}
