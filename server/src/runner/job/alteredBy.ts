import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Repository } from "../../lineage/repository.ts";
import { dataDigests } from "../../project/identity/dataDigest.ts";
import { evaluationEntries } from "../../project/identity/evaluationEntries.ts";
import { comparedPaths, findAlteration, type Alteration } from "./evaluationCheck.ts";
import { readWatch } from "./evaluationWatch.ts";
import type { Executor } from "./executor.ts";

/** A job that has ended. */
interface EndedJob {
  readonly repository: Repository;
  readonly commit: string;
  readonly project: ProjectSpec;
  readonly executor: Pick<Executor, "elsewhere">;
  readonly run: string;
  /** The folder of the run. */
  readonly directory: string;
  /** Top level of its checkout. */
  readonly checkout: string;
}

/** What the job did to the evaluation, here or where it ran, or to data that git does not have. */
export async function alteredBy(ended: EndedJob): Promise<Alteration | undefined> {
  const { repository, commit, project, executor, run, directory, checkout } = ended;
  const watch = await readWatch(directory);
  const withheld = watch?.withheld ?? [];
  const entries = await evaluationEntries(repository, commit, project);
  const altered = await findAlteration({
    repository,
    checkout,
    project,
    entries,
    withheld,
    stamps: watch?.stamps,
  });
  if (altered !== undefined) return altered;
  const { elsewhere } = executor;
  if (elsewhere === undefined) {
    const file = await changedData(repository, watch?.data ?? {});
    return file === undefined ? undefined : { file, isRestored: false };
  }
  // What runs on a host reads a copy of the data, which lies there under the name of its content.
  const paths = comparedPaths(project, entries);
  const changed = await elsewhere.changedPath(run, commit, paths, withheld);
  if (changed !== undefined) return { file: changed, isRestored: false };
  const touched = await elsewhere.touchedPath(run, paths);
  return touched === undefined ? undefined : { file: touched, isRestored: true };
}

async function changedData(
  repository: Repository,
  before: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  for (const [path, digest] of Object.entries(before)) {
    const now = await dataDigests(repository, [path]).catch((e: unknown) => {
      if (HarnessError.is(e, "projectInvalid")) return {};
      throw e;
    });
    if (Object.values(now)[0] !== digest) return path;
  }
  return undefined;
}
