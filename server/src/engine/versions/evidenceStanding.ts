import type { EvidenceStanding } from "../../../../shared/protocol/views/evidence.ts";
import { distrustOfRecord } from "../../decision/distrustOfRecord.ts";
import { stageOf } from "../../decision/testing/stage.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { judgedOf } from "../jobs/judged.ts";
import { readableVersions } from "../project/knownLineage.ts";

/** How the versions of a project stand; nothing where its ledger cannot be read, which is told elsewhere. */
export async function evidenceStandings(
  root: string,
): Promise<(version: string) => EvidenceStanding | undefined> {
  const names = (await readableVersions(root))();
  return (version) => {
    const record = names.get(version);
    return record === undefined ? undefined : standingOf(record, names);
  };
}

/** How a version stands among those of its lineage. */
export function standingOf(
  record: VersionRecord,
  versions: ReadonlyMap<string, Pick<VersionRecord, "evidence">>,
): EvidenceStanding {
  const { decision, parent, claims } = record;
  const { compared } = judgedOf(record);
  const distrust = distrustOfRecord(record);
  const against = compared?.against ?? parent;
  const other = against === null ? undefined : versions.get(against);
  return {
    decision: decision?.decision ?? "pending",
    stage: stageOf(record),
    claims: [...claims],
    score: scoreOf(record),
    ...(distrust === undefined ? {} : { distrust: { counts: distrust.counts } }),
    ...(against === null || other === undefined
      ? {}
      : { beside: { version: against, score: scoreOf(other) } }),
    ...(compared === undefined || distrust !== undefined ? {} : { compared }),
  };
}

const scoreOf = ({ evidence }: Pick<VersionRecord, "evidence">): number | null =>
  evidence.selection?.score?.value ?? null;
