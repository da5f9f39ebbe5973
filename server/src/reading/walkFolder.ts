import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { codeOf, HarnessError } from "../base/errors.ts";

/** More files than this under the given paths are refused: a wrong folder, rather than evidence. */
export const maxFiles = 500_000;

const skipped = new Set([".git", ".evotrainer", "node_modules", "__pycache__", ".venv"]);

export interface WalkedFile {
  /** Absolute. */
  readonly path: string;
  /** The path that was asked for, absolute: the file itself, or a folder above it. */
  readonly asked: string;
}

export interface WalkOptions {
  /** The order of the names in a folder. */
  readonly compare: (a: string, b: string) => number;
  /** Told of each folder that cannot be read; the walk goes on after it. Without it such a folder ends the walk. */
  readonly refuse?: Refuse | undefined;
}

/** Takes what cannot be read, with the reason as a clause. */
export type Refuse = (path: string, reason: string) => void;

/**
 * The reason why something found by a walk cannot be read, as a clause; undefined when the error is none of the file system.
 */
export function unreadable(e: unknown, what: "file" | "folder"): string | undefined {
  const code = codeOf(e);
  if (code === undefined) return undefined;
  return code === "ENOENT" || code === "ENOTDIR"
    ? `the ${what} was removed while the import ran`
    : `the ${what} cannot be read (${code}); check its permissions`;
}

/**
 * The files at and below the given paths. Links are not followed inside folders: they may lead out of them or round in a
 * circle. Folders of tools (.git, node_modules, …) are left out.
 * @throws HarnessError notFound, badInput for a path that is neither a file nor a folder,, for too many files, and for a
 * folder that cannot be read where nobody is told
 */
export async function* walkPaths(
  paths: readonly string[],
  options: WalkOptions,
): AsyncGenerator<WalkedFile, void> {
  let count = 0;
  for (const given of paths) {
    const asked = resolve(given);
    const found = (await kindOf(asked, given)) === "file" ? [asked] : filesIn(asked, options);
    for await (const path of found) {
      if (++count > maxFiles)
        throw new HarnessError(
          "badInput",
          `There are more than ${maxFiles} files under ${given}; import its parts one by one.`,
        );
      yield { path, asked };
    }
  }
}

async function kindOf(path: string, given: string): Promise<"file" | "folder"> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return "folder";
    if (stats.isFile()) return "file";
  } catch (e) {
    const code = codeOf(e);
    if (code === undefined) throw e;
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new HarnessError("notFound", `There is no file or folder ${given}.`, { cause: e });
    const advice = code === "ELOOP" ? "it is a link that leads to itself" : "check its permissions";
    throw new HarnessError("badInput", `${given} cannot be read (${code}); ${advice}.`, { cause: e });
  }
  throw new HarnessError("badInput", `${given} is neither a file nor a folder.`);
}

interface OpenFolder {
  readonly path: string;
  readonly entries: Iterator<Dirent>;
}

async function* filesIn(root: string, options: WalkOptions): AsyncGenerator<string, void> {
  const open: OpenFolder[] = [await openFolder(root, options)];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const next = top.entries.next();
    if (next.done === true) {
      open.pop();
      continue;
    }
    const entry = next.value;
    const path = join(top.path, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !skipped.has(entry.name)) open.push(await openFolder(path, options));
  }
}

async function openFolder(path: string, { compare, refuse }: WalkOptions): Promise<OpenFolder> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return { path, entries: entries.sort((a, b) => compare(a.name, b.name)).values() };
  } catch (e) {
    const reason = unreadable(e, "folder");
    if (reason === undefined) throw e;
    if (refuse === undefined) throw new HarnessError("badInput", `${path}: ${reason}.`, { cause: e });
    refuse(path, reason);
    return { path, entries: [].values() };
  }
}
