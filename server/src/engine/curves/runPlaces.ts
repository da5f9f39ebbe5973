import type { RunCurves } from "../../../../shared/protocol/views/runs.ts";
import { HarnessError } from "../../base/errors.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { knownLineage } from "../project/knownLineage.ts";

type RunPlace = Pick<RunCurves, "parent" | "terms">;
type Placed = Pick<VersionRecord, "name" | "parent" | "factor" | "title" | "merges" | "joins">;

/** Where versions stand in the lineage; nothing of any where the ledger cannot be read, which is told elsewhere. */
export async function runPlaces(root: string): Promise<(version: string) => RunPlace> {
  try {
    const { byName } = await knownLineage(root, "");
    return (version) => placeOf(byName(), version);
  } catch (e) {
    if (HarnessError.is(e)) return () => ({});
    throw e;
  }
}

/** The parent of a version, and the nearest version of its line that changed the reward: its own terms are that one's. */
export function placeOf(versions: ReadonlyMap<string, Placed>, name: string): RunPlace {
  const own = versions.get(name);
  if (own === undefined) return {};
  const seen = new Set<string>();
  let at = own;
  // A ledger that was merged or edited may hold a circle.
  while (!changesReward(at) && at.parent !== null && !seen.has(at.name)) {
    const above = versions.get(at.parent);
    if (above === undefined) break;
    seen.add(at.name);
    at = above;
  }
  return { parent: own.parent, terms: { of: at.name, change: changesReward(at) ? at.title : "" } };
}

/** A version with the edits of two others may have the reward of either. */
const changesReward = ({ factor, merges, joins }: Placed): boolean =>
  factor === "reward" || (factor === null && (merges !== undefined || joins !== undefined));
