import { join } from "node:path";
import { JobId } from "../../../../shared/model/jobId.ts";
import type { Closing } from "../../../../shared/ledger/closingEntry.ts";
import type { RunTerms, TermsOf } from "../../evidence/store/runTerms.ts";
import type { Repository } from "../../lineage/repository.ts";
import { readAsked } from "../../runner/job/asked.ts";
import { findClosing } from "../../runner/job/closeRun.ts";
import type { EnginePlace } from "./place.ts";
import { repositoryOf } from "./repositoryOf.ts";

/** What the ledger and the engine's records say of the runs of a project. */
export function runTerms({ root, evidenceRoot }: Pick<EnginePlace, "root" | "evidenceRoot">): TermsOf {
  let repository: Promise<Repository | undefined> | undefined;
  /** The files of closed runs stay as they are; what of them counts may change when another run measures again. */
  const known = new Map<string, RunTerms["closed"]>();
  return async (run) => {
    if (!JobId.safeParse(run).success) return undefined;
    const directory = join(evidenceRoot, run);
    const asked = await readAsked(directory);
    const found = known.get(run);
    if (found !== undefined) return { closed: found, asked };
    repository ??= repositoryOf(root).catch((e: unknown) => {
      repository = undefined;
      throw e;
    });
    const closing = await findClosing(await repository, run, directory);
    const closed = filesOf(closing);
    if (closed !== null) known.set(run, closed);
    return { closed, asked };
  };
}

const filesOf = (closing: Closing | undefined): RunTerms["closed"] =>
  closing === undefined ? null : new Map(closing.files.map((file) => [file.name, file]));
