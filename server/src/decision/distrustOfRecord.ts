import { distrustOf, type Distrust } from "../../../shared/model/distrust.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";

/** Whether a version of the ledger is not to be trusted, and why; undefined where it is. */
export function distrustOfRecord({ evidence, decision }: VersionRecord): Distrust | undefined {
  const { selection } = evidence;
  return distrustOf({
    decision: decision?.decision ?? "pending",
    labels: selection?.labels ?? [],
    cleanScore: selection?.cleanScore?.value ?? null,
    cleanBy: selection?.cleanBy,
  });
}
