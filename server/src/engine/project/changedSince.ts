import { counted } from "../../../../shared/words/numbers.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { Repository } from "../../lineage/repository.ts";
import { measuredOn } from "../../project/identity/evaluationIdentity.ts";
import { differences } from "../../project/identity/identityDifference.ts";
import { listed } from "../../base/similar.ts";
import { filesOf } from "./comparable.ts";

const namedAtMost = 3;

/**
 * What a new evolution from `commit` would be measured on otherwise than the newest measured version, in a sentence;
 * undefined where nothing differs, or nobody knows.
 */
export async function changedSince(
  repository: Repository,
  commit: string,
  versions: readonly VersionRecord[],
): Promise<string | undefined> {
  const measured = versions.filter((v) => v.origin === undefined && v.evidence.selection !== undefined);
  const last = measured.at(-1);
  if (last === undefined) return undefined;
  const [before, now] = [await filesOf(repository, last.commit), await filesOf(repository, commit)];
  if (before === undefined || now === undefined) return undefined;
  const found = differences(
    { version: last.name, measuredOn: measuredOn(before, {}), files: before },
    { version: commit, measuredOn: measuredOn(now, {}), files: now },
  );
  if (found.length === 0) return undefined;
  const rest = found.length - namedAtMost;
  const what = listed([...found.slice(0, namedAtMost), ...(rest > 0 ? [`${rest} more`] : [])], "and");
  return `${what} ${found.length === 1 ? "differs" : "differ"} from what ${last.name} was measured on, so the versions of this evolution are not compared with ${counted(measured.length, "earlier one", "earlier ones")}.`;
}
