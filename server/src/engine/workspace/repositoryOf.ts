import { HarnessError } from "../../base/errors.ts";
import { openRepository, type Repository } from "../../lineage/repository.ts";

/** Evidence can be looked at outside a repository as well. */
export async function repositoryOf(root: string): Promise<Repository | undefined> {
  try {
    return await openRepository(root, { readOnly: true });
  } catch (e) {
    const isNone = ["notARepository", "gitMissing", "noCommits", "notFound"] as const;
    if (isNone.some((reason) => HarnessError.is(e, reason))) return undefined;
    throw e;
  }
}
