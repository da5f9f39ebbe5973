import { noVersionNamed } from "../../../../shared/words/refusals.ts";
import { HarnessError } from "../../base/errors.ts";
import { changedFiles, type ChangedFile } from "../../lineage/checkouts/changedFiles.ts";
import { buildLineage, findVersion } from "../../lineage/graph.ts";
import { openRepository } from "../../lineage/repository.ts";
import { sharedLedger } from "../../lineage/sharedLedger.ts";
import { readFileAt } from "../../lineage/versions.ts";
import { loadProjectSpec } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";

/** What a version changed: the commits of it and of what it is held against, and the files that differ. */
export interface VersionChange {
  readonly version: string;
  readonly commit: string;
  readonly against: { readonly version: string; readonly commit: string } | null;
  readonly files: readonly ChangedFile[];
}

/** Beyond this a text is no text to read in a diff. */
const longestText = 5_000_000;

/**
 * The files of the project in which a version differs from another, its parent when none is named; none for a version
 * without a parent. @throws HarnessError notFound
 */
export async function versionChange(root: string, name: string, other?: string): Promise<VersionChange> {
  const { domain } = await loadProjectSpec(workTree(root));
  const repository = await openRepository(root, { readOnly: true });
  const lineage = buildLineage((await sharedLedger(repository).read()).entries, domain);
  const commitOf = (wanted: string): string => {
    const found = findVersion(lineage, wanted);
    if (found === undefined) throw new HarnessError("notFound", noVersionNamed(wanted, domain));
    return found.commit;
  };
  const commit = commitOf(name);
  const against = other ?? findVersion(lineage, name)?.parent ?? null;
  if (against === null) return { version: name, commit, against: null, files: [] };
  const from = commitOf(against);
  return {
    version: name,
    commit,
    against: { version: against, commit: from },
    files: await changedFiles(repository, from, commit),
  };
}

/** The text of a file of the project at a commit, for a diff. @throws HarnessError notFound, badInput */
export async function versionFile(root: string, commit: string, path: string): Promise<string> {
  const repository = await openRepository(root, { readOnly: true });
  const text = await readFileAt(repository, commit, path);
  return text.length > longestText
    ? `${text.slice(0, longestText)}\n… the rest of ${text.length} characters is left out.\n`
    : text;
}
