import type { MeasuredOn } from "../../../../shared/ledger/measures.ts";
import { statePath, type Repository } from "../../lineage/repository.ts";
import { dataDigests } from "../../project/identity/dataDigest.ts";
import { measuredOn } from "../../project/identity/evaluationIdentity.ts";
import { readConfinement } from "../../runner/job/confinement.ts";
import { readWatch } from "../../runner/job/evaluationWatch.ts";
import { filesOf } from "../project/comparable.ts";

/** What a commit's version was measured on, with the data that its first run found; null where the commit cannot say. */
export async function measuredOnOf(
  repository: Repository,
  commit: string,
  { runs, data }: { readonly runs: readonly string[]; readonly data: readonly string[] },
): Promise<MeasuredOn | null> {
  const files = await filesOf(repository, commit);
  if (files === undefined) return null;
  const unconfined = await whyUnconfined(repository, runs);
  const how = unconfined === undefined ? {} : { unconfined };
  for (const run of runs) {
    const watch = await readWatch(statePath(repository, "runs", run));
    if (watch !== undefined) return { ...measuredOn(files, watch.data), ...how };
  }
  return { ...measuredOn(files, await dataDigests(repository, data)), ...how };
}

/** Why the first of some runs whose job was not confined was not. */
async function whyUnconfined(repository: Repository, runs: readonly string[]): Promise<string | undefined> {
  for (const run of runs) {
    const known = await readConfinement(statePath(repository, "runs", run));
    if (known !== undefined && known.unconfined !== null) return known.unconfined;
  }
  return undefined;
}
