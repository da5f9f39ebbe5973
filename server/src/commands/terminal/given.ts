import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Option } from "commander";
import type { DiagnosticFile } from "../../../../shared/protocol/results/diagnosticFile.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { inLine } from "../../base/plainText.ts";
import { projectOrBare } from "../../engine/project/bareProject.ts";
import { projectFile } from "../../project/project.ts";
import type { Io } from "./io.ts";
import { collect } from "./options.ts";

/** Files of diagnostics that a verb is given besides those that it finds. */
export interface WithFiles {
  readonly with: readonly string[];
}

export const withOption = (): Option =>
  new Option("--with <file>", "also use the diagnostic in this file; may be given several times")
    .argParser(collect)
    .default([], "none");

/**
 * Reads what `--with` names, and says which diagnostics count where that may surprise.
 * @throws HarnessError notFound, specInvalid
 */
export async function givenFiles(
  io: Io,
  { cwd, root }: { readonly cwd: string; readonly root: string },
  paths: readonly string[],
): Promise<DiagnosticFile[]> {
  // What a project has in force is no surprise, and evidence can be read while the project is being mended.
  if (paths.length === 0 && (await exists(join(root, projectFile)))) return [];
  const files: DiagnosticFile[] = [];
  for (const path of new Set(paths)) files.push({ path, text: await textOf(resolve(cwd, path), path) });
  const { notes } = await projectOrBare(root, files);
  for (const note of notes) io.err(`${inLine(note)}\n`);
  return files;
}

/** Says which diagnostics of a folder without a project are left out, because what is listed goes by the others. */
export async function sayLeftOut(io: Io, root: string, files: readonly DiagnosticFile[]): Promise<void> {
  if (await exists(join(root, projectFile))) return;
  for (const { path, line, message } of (await projectOrBare(root, files)).problems)
    io.err(`Left out: ${inLine(`${path}:${line}: ${message}`)}\n`);
}

async function textOf(file: string, path: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (e) {
    if (codeOf(e) === undefined) throw e;
    const why = codeOf(e) === "ENOENT" ? `There is no file ${path}` : `${path} cannot be read`;
    throw new HarnessError("notFound", `${why}; give --with the path of a *.diagnostic.yaml.`, { cause: e });
  }
}
