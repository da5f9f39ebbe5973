import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Workspace } from "../evidence/evidence.ts";

/** For tests: writes values as lines of a file below the workspace, and returns the file's path. */
export async function writeLines(
  workspace: Workspace,
  path: string,
  ...rows: readonly object[]
): Promise<string> {
  const file = workspace.file(path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return file;
}
