import { labelShare } from "../../../../shared/model/labelShare.ts";
import type { EvidenceGroups } from "../../../../shared/protocol/views/evidence.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { judgedOf } from "../jobs/judged.ts";

type Versions = ReadonlyMap<
  string,
  Pick<VersionRecord, "decision" | "evidence" | "parent" | "screenings" | "jobs">
>;

/**
 * How often labels hold in a version and in what it was compared with, else its parent, over all of their rollouts of the
 * selection split; nothing where the ledger does not know both.
 */
export function ratesBeside(
  version: string,
  labels: readonly string[],
  versions: Versions,
): Pick<EvidenceGroups, "beside"> {
  const record = versions.get(version);
  const against = record === undefined ? null : (judgedOf(record).compared?.against ?? record.parent);
  const other = against === null ? undefined : versions.get(against);
  if (record === undefined || against === null || other === undefined) return {};
  const rates = labels.flatMap((label) => {
    const [own, theirs] = [rateIn(record, label), rateIn(other, label)];
    return own === null || theirs === null ? [] : [{ label, own, other: theirs }];
  });
  return rates.length === 0 ? {} : { beside: { version, against, rates } };
}

/** Null where it was not looked for, or nothing was decided. */
function rateIn({ evidence }: Pick<VersionRecord, "evidence">, label: string): number | null {
  const found = evidence.selection?.labels.find(({ name, over }) => name === label && over !== "group");
  return found === undefined ? null : labelShare(found).rate;
}
