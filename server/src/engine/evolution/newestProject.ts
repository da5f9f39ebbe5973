import { HarnessError } from "../../base/errors.ts";
import { resolveCommit, type Repository } from "../../lineage/repository.ts";
import { loadProject, type Project } from "../../project/project.ts";
import { commitSource } from "../project/commitSource.ts";

/** The project as the newest commit of the user's branch has it. */
export type NewestProject =
  | { readonly type: "sound"; readonly commit: string; readonly project: Project }
  /** `reason`: why that commit has no sound project, in a sentence. */
  | { readonly type: "unsound"; readonly commit: string | null; readonly reason: string };

/**
 * Reads the newest commit of the user's branch each time it is asked; a commit is loaded once. What lies in the work tree
 * and was never committed counts for nothing.
 */
export function newestProject(repository: Repository): () => Promise<NewestProject> {
  let known: NewestProject | undefined;
  return async () => {
    const commit = await resolveCommit(repository, "HEAD").catch((e: unknown) => {
      if (HarnessError.is(e, "notFound")) return null;
      throw e;
    });
    if (commit === null) return { type: "unsound", commit, reason: "your branch has no commit yet." };
    if (known?.commit === commit) return known;
    known = await load(repository, commit);
    return known;
  };
}

async function load(repository: Repository, commit: string): Promise<NewestProject> {
  try {
    return { type: "sound", commit, project: await loadProject(commitSource(repository, commit)) };
  } catch (e) {
    if (HarnessError.is(e, "projectMissing") || HarnessError.is(e, "projectInvalid"))
      return { type: "unsound", commit, reason: e.message };
    throw e;
  }
}
