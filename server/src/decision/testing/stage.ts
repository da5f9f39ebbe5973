import type { Stage } from "../../../../shared/ledger/testing.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";

/**
 * How far a change was tested when it was decided; null where that is not known, and of what was not tested. Earlier
 * releases did not write it down: then it is by the seeds that its comparison counts, or by the doubts that it names.
 */
export function stageOf(version: VersionRecord): Stage | null {
  const { decision, hypothesis, origin } = version;
  if (decision === undefined || hypothesis === undefined || origin !== undefined) return null;
  if (decision.stage !== undefined) return decision.stage;
  const { seeds, doubts } = decision.comparison ?? {};
  if (seeds !== undefined && Math.min(...seeds) > 0)
    return Math.min(...seeds) > 1 ? "replicated" : "one_seed";
  return doubts?.includes("one_seed") === true ? "one_seed" : null;
}
