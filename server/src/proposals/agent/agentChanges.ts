import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { findOtherFile } from "../../lineage/checkouts/plainFiles.ts";
import { fromProject, isSubmodule, treeAt } from "../../lineage/checkouts/treeAt.ts";
import type { Repository } from "../../lineage/repository.ts";
import type { EditedFile } from "../../project/editedFiles.ts";
import type { FileSource } from "../../project/source.ts";

export interface AgentChanges {
  readonly files: readonly EditedFile[];
  /** What of it can be no change of a version, a sentence each. */
  readonly problems: readonly string[];
}

interface Place {
  readonly repository: Repository;
  readonly commit: string;
  /** Top level of the checkout. */
  readonly directory: string;
  /** Files of the commit that were not checked out, from the top level. */
  readonly withheld: readonly string[];
  /** What in it was put there for the agent, from the top level. */
  readonly own: string;
  readonly source: FileSource;
}

const mostFiles = 200;
const mostEntries = 100_000;
const mostBytes = 4 * 1024 * 1024;

/**
 * What an agent left in a checkout that differs from the commit. No link is followed, and git is asked about nothing in there:
 * what lies there was written by a program that nobody looked at.
 */
export async function agentChanges(place: Place): Promise<AgentChanges> {
  const { repository, commit, directory, withheld, own } = place;
  const found = new Map<string, string>();
  if (!(await walk(directory, "", { found, own })))
    return { files: [], problems: [`It left more than ${mostEntries} files and folders in its checkout.`] };
  const known = (await treeAt(repository, commit)).filter(
    ({ path }) => !withheld.includes(path) && !path.startsWith(`${own}/`),
  );
  const changed: string[] = [];
  for (const entry of known) {
    const kind = found.get(entry.path);
    if (isSubmodule(entry)) continue;
    if (kind === undefined || (await findOtherFile(repository, directory, [entry])) !== undefined)
      changed.push(entry.path);
  }
  const names = new Set(known.map(({ path }) => path));
  const made = await notIgnored(
    repository,
    [...found.keys()].filter((path) => !names.has(path)),
  );
  const all = [...changed, ...made].sort();
  if (all.length > mostFiles)
    return { files: [], problems: [`It changed ${all.length} files; at most ${mostFiles} are one change.`] };
  const files: EditedFile[] = [];
  const problems: string[] = [];
  for (const path of all) {
    const inProject = fromProject(repository, path);
    const read = await textAt(place, path, { kind: found.get(path), inProject });
    if (typeof read === "string") problems.push(read);
    else
      files.push({ path: inProject, before: (await place.source.read(inProject)) ?? null, after: read.text });
  }
  return { files, problems };
}

/** False where there is too much. */
async function walk(
  directory: string,
  below: string,
  into: { readonly found: Map<string, string>; readonly own: string },
): Promise<boolean> {
  for (const entry of await readdir(join(directory, below), { withFileTypes: true })) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    // The checkout's own link to the repository.
    if (path === ".git" || path === into.own) continue;
    if (entry.isDirectory()) {
      if (!(await walk(directory, path, into))) return false;
      continue;
    }
    into.found.set(path, entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "special");
    if (into.found.size > mostEntries) return false;
  }
  return true;
}

/** New files that the user's own git passes over, such as caches of interpreters, are no change. */
async function notIgnored(repository: Repository, paths: readonly string[]): Promise<string[]> {
  // Not to be taken for a pattern, whatever it is called.
  const named = (path: string): string => `./${fromProject(repository, path)}`;
  if (paths.length === 0) return [];
  const input = paths.map((path) => `${named(path)}\0`).join("");
  const said = await repository.git
    .answer(["check-ignore", "--no-index", "-z", "--stdin"], { input })
    .catch((e: unknown) => {
      // One lies behind a link of the work tree, for example: then all of them count.
      if (HarnessError.is(e, "gitFailed")) return undefined;
      throw e;
    });
  const ignored = new Set((said ?? "").split("\0"));
  return paths.filter((path) => !ignored.has(named(path)));
}

/** The text of a file now, null where it is gone; a sentence where it can be none. */
async function textAt(
  { directory }: Place,
  path: string,
  { kind, inProject }: { readonly kind: string | undefined; readonly inProject: string },
): Promise<{ readonly text: string | null } | string> {
  if (inProject.startsWith("../"))
    return `${inProject} lies outside of the project, so no version may change it.`;
  if (kind === undefined) return { text: null };
  if (kind === "link") return `${inProject} is a symbolic link now; a version changes texts only.`;
  if (kind !== "file") return `${inProject} is neither a file nor a folder; a version changes texts only.`;
  const file = await open(
    join(directory, path),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  try {
    const { size } = await file.stat();
    if (size > mostBytes) return `${inProject} has ${size} bytes, too many for a text that somebody reviews.`;
    const bytes = await file.readFile();
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? `${inProject} is no text.` : { text };
  } catch (e) {
    if (e instanceof TypeError) return `${inProject} is not a text in UTF-8.`;
    throw e;
  } finally {
    await file.close();
  }
}
