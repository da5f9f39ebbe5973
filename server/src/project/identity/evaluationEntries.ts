import type { Split } from "../../../../shared/model/rollout.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { HarnessError } from "../../base/errors.ts";
import {
  fromProject,
  isLink,
  isSubmodule,
  linksAt,
  treeAt,
  type TreeEntry,
} from "../../lineage/checkouts/treeAt.ts";
import type { Repository } from "../../lineage/repository.ts";
import { evaluationOf, evaluationPaths } from "../frozen/frozenPaths.ts";
import { isGlob } from "../frozen/globPath.ts";
import { followLinks, linksIn, type Links } from "../frozen/links.ts";

/** A file, link or submodule of a commit, and the declared path of the evaluation that stands for it, if any does. */
export interface CommittedFile extends TreeEntry {
  /** From the project's folder; begins with `../` outside of it. */
  readonly file: string;
  readonly declared: string | undefined;
}

/** Everything that a commit holds, and what of it belongs to the evaluation that `project` declares. */
export async function committedFiles(
  repository: Repository,
  commit: string,
  project: ProjectSpec,
): Promise<CommittedFile[]> {
  return (await declaredFiles(repository, commit, project)).files;
}

/**
 * The files, and links, of the declared evaluation as a commit has them.
 * @throws HarnessError projectInvalid for what is not there, or lies outside of the commit
 */
export async function evaluationEntries(
  repository: Repository,
  commit: string,
  project: ProjectSpec,
): Promise<CommittedFile[]> {
  const { files, links } = await declaredFiles(repository, commit, project);
  for (const declared of evaluationPaths(project)) {
    const problem = problemOf(declared, files, links);
    if (problem !== undefined)
      throw new HarnessError(
        "projectInvalid",
        `The evaluation file ${declared} ${problem}; correct evaluation in evotrainer.yaml.`,
      );
  }
  return files.filter(({ declared }) => declared !== undefined);
}

/**
 * The files of the audit split, which a job gets only when it is asked for that split: paths from the top level of the
 * commit, none for a job with that split. A file that another split needs is never among them.
 */
export async function withheldFiles(
  repository: Repository,
  commit: string,
  { evaluation: { splits } }: ProjectSpec,
  asked: readonly Split[],
): Promise<string[]> {
  if (asked.includes("audit")) return [];
  const { files, links } = await declaredFiles(repository, commit, onlyFile(splits.audit));
  const others = [splits.train, splits.selection].map((path) => evaluationOf(onlyFile(path), links));
  return files.flatMap(({ path, file, declared }) =>
    declared === undefined || others.some((belongs) => belongs(file) !== undefined) ? [] : [path],
  );
}

/** An evaluation that is one declared path. */
const onlyFile = (declared: string) => ({
  evaluation: { splits: { train: declared, selection: declared, audit: declared }, files: [] },
});

/** What is wrong with a declared path, as the end of a sentence. */
function problemOf(
  declared: string,
  files: readonly Omit<CommittedFile, "declared">[],
  links: Links,
): string | undefined {
  const belongs = evaluationOf(onlyFile(declared), links);
  const { to } = followLinks(declared, links);
  if (!isGlob(declared) && to === undefined) return "is a link that leads out of the checkout or nowhere";
  const found = files.filter(({ file }) => belongs(file) !== undefined);
  const isThere = (path: string): boolean =>
    files.some(({ file }) => path === "" || file === path || file.startsWith(`${path}/`));
  if (isGlob(declared) ? found.length === 0 : to !== undefined && !isThere(to))
    return found.some(isLink)
      ? "is a link that leads out of the checkout or nowhere"
      : "does not exist in this version";
  const outside = found.find((entry) => isLink(entry) && !isReal(entry.file, links, isThere));
  if (outside !== undefined)
    return `holds ${outside.file}, which is a link that leads out of the checkout or nowhere`;
  const submodule = found.find(isSubmodule);
  if (submodule !== undefined)
    return `needs the submodule ${submodule.file}, whose files no version holds: commit a copy of them`;
  return undefined;
}

function isReal(file: string, links: Links, isThere: (path: string) => boolean): boolean {
  const { to } = followLinks(file, links);
  return to !== undefined && isThere(to);
}

/** The files of a commit with the declared path that stands for each, and its links. */
async function declaredFiles(
  repository: Repository,
  commit: string,
  project: { readonly evaluation: Pick<ProjectSpec["evaluation"], "splits" | "files"> },
): Promise<{ readonly files: CommittedFile[]; readonly links: Links }> {
  const links = linksIn(await linksAt(repository, commit));
  const belongs = evaluationOf(project, links);
  const files = (await treeAt(repository, commit)).map((entry) => {
    const file = fromProject(repository, entry.path);
    return { ...entry, file, declared: belongs(file) };
  });
  return { files, links };
}
