import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { codeOf, HarnessError } from "../../base/errors.ts";

/** More files than this under the given paths are refused: a wrong folder, rather than evidence. */
const maxFiles = 500_000;
const skipped = new Set([".git", ".evotrainer", "node_modules", "__pycache__", ".venv"]);

const byName = new Intl.Collator("en", { numeric: true });

/**
 * The files under the given paths, folders opened, in an order in which 2.jsonl comes before 10.jsonl. Links are not
 * followed inside folders, so that no file comes twice.
 * @throws HarnessError notFound, badInput
 */
export async function* filesUnder(paths: readonly string[]): AsyncGenerator<string> {
  let count = 0;
  for (const path of paths) {
    for await (const file of walk(resolve(path), path)) {
      if (++count > maxFiles)
        throw new HarnessError(
          "badInput",
          `There are more than ${maxFiles} files under ${path}; import its parts one by one.`,
        );
      yield file;
    }
  }
}

async function* walk(path: string, asked: string): AsyncGenerator<string> {
  const found = await kindOf(path, asked);
  if (found === "file") yield path;
  else yield* inside(path);
}

async function kindOf(path: string, asked: string): Promise<"file" | "folder"> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return "folder";
    if (stats.isFile()) return "file";
  } catch (e) {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR")
      throw new HarnessError("notFound", `There is no file or folder ${asked}.`, { cause: e });
    throw e;
  }
  throw new HarnessError("badInput", `${asked} is neither a file nor a folder.`);
}

async function* inside(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => byName.compare(a.name, b.name));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* inside(path);
    else if (entry.isFile()) yield path;
  }
}
