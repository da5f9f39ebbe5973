import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { codeOf } from "../../base/errors.ts";
import { findOtherFile } from "../../lineage/checkouts/plainFiles.ts";
import { fromProject, isLink } from "../../lineage/checkouts/treeAt.ts";
import type { Repository } from "../../lineage/repository.ts";
import { evaluationOf, evaluationPaths } from "../../project/frozen/frozenPaths.ts";
import { isGlob } from "../../project/frozen/globPath.ts";
import { followLinks, linksIn, type Links } from "../../project/frozen/links.ts";
import type { CommittedFile } from "../../project/identity/evaluationEntries.ts";
import { stampsOf, touchedPath } from "./evaluationWatch.ts";

/** What a job did to a file that its version is measured on. */
export interface Alteration {
  /** From the project's folder. */
  readonly file: string;
  /** It is as it was, but the job changed it in between. */
  readonly isRestored: boolean;
}

interface Checked {
  readonly repository: Repository;
  /** Top level of the checkout. */
  readonly checkout: string;
  readonly project: ProjectSpec;
  /** The evaluation as the commit has it. */
  readonly entries: readonly CommittedFile[];
  /** Paths from the top level that were left out of the checkout. */
  readonly withheld: readonly string[];
  /** As they were before the job; undefined where nobody wrote them down. */
  readonly stamps: Readonly<Record<string, string>> | undefined;
}

/** Compares the evaluation in a checkout with the commit, and with what its files were like before the job. */
export async function findAlteration(checked: Checked): Promise<Alteration | undefined> {
  const { repository, checkout, withheld, stamps } = checked;
  const entries = checked.entries.filter(({ path }) => !withheld.includes(path));
  const other = await findOtherFile(repository, checkout, entries);
  if (other !== undefined) return { file: fromProject(repository, other), isRestored: false };
  const added = (await findMade(checked)) ?? (await findAdded({ ...checked, entries }));
  if (added !== undefined) return { file: added, isRestored: false };
  if (stamps === undefined) return undefined;
  const touched = touchedPath(
    stamps,
    await stampsOf(
      checkout,
      entries.map(({ path }) => path),
    ),
  );
  return touched === undefined ? undefined : { file: fromProject(repository, touched), isRestored: true };
}

/** The first of the files that the job did not get, where it made one itself. */
async function findMade({ repository, checkout, withheld }: Checked): Promise<string | undefined> {
  for (const path of withheld) if (await isThere(join(checkout, path))) return fromProject(repository, path);
  return undefined;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (e) {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR") return false;
    throw e;
  }
}

/** The first file that the commit does not have, in a folder or of a pattern that the evaluation names. */
async function findAdded({ repository, checkout, project, entries }: Checked): Promise<string | undefined> {
  const own = new Set(entries.map(({ file }) => file));
  const links = await linksOf(checkout, entries);
  const belongs = evaluationOf(project, links);
  const folder = join(checkout, repository.prefix);
  for (const root of foldersOf(project, links)) {
    const folders = [root];
    for (const at of folders)
      for (const entry of await entriesOf(join(folder, at))) {
        const path = at === "" ? entry.name : `${at}/${entry.name}`;
        if (path === ".git" || path === ".evotrainer") continue;
        if (entry.isDirectory()) folders.push(path);
        else if (!own.has(path) && belongs(path) !== undefined) return path;
      }
  }
  return undefined;
}

/** The folders in which files could be added to the evaluation. */
function foldersOf(project: ProjectSpec, links: Links): string[] {
  const folders = evaluationPaths(project).flatMap((declared) => {
    const steps = declared.split("/");
    const fixed = isGlob(declared) ? steps.slice(0, steps.findIndex(isGlob)) : steps;
    return followLinks(fixed.join("/"), links).to ?? [];
  });
  return [...new Set(folders)];
}

async function linksOf(checkout: string, entries: readonly CommittedFile[]): Promise<Links> {
  const targets = new Map<string, string>();
  for (const entry of entries.filter(isLink))
    targets.set(entry.file, await readlink(join(checkout, entry.path)).catch(() => ""));
  return linksIn(targets);
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (e) {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR") return [];
    throw e;
  }
}

/** The paths that a host compares with the commit: the files, and the folders in which one could be added. */
export function comparedPaths(project: ProjectSpec, entries: readonly CommittedFile[]): string[] {
  const named = new Set(evaluationPaths(project).filter((path) => !isGlob(path)));
  const below = (file: string): boolean => [...named].some((path) => `${file}/`.startsWith(`${path}/`));
  return [...new Set([...named, ...entries.map(({ file }) => file).filter((file) => !below(file))])];
}
