import { HarnessError } from "../../base/errors.ts";
import { openRepository, type Repository } from "../../lineage/repository.ts";

const reasons = ["notARepository", "gitMissing", "noCommits"] as const;

/** Whether it says that a folder has no commits, so that there can be evidence in it, but no versions. */
export const saysNoCommits = (e: unknown): boolean => reasons.some((reason) => HarnessError.is(e, reason));

/** Evidence can be looked at outside a repository as well. */
export async function repositoryOf(root: string): Promise<Repository | undefined> {
  try {
    return await openRepository(root, { readOnly: true });
  } catch (e) {
    if (saysNoCommits(e) || HarnessError.is(e, "notFound")) return undefined;
    throw e;
  }
}
