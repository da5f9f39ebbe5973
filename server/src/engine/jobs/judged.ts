import type { JobRow } from "../../../../shared/protocol/views/job.ts";
import { byAlert } from "../../../../shared/model/alertOrder.ts";
import { foldedLabels } from "../../../../shared/model/foldedLabels.ts";
import { labelShare } from "../../../../shared/model/labelShare.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { readableVersions } from "../project/knownLineage.ts";

type Told = Pick<JobRow, "compared" | "notValid" | "alerts">;
export type Judged = (version: string) => Told;
type Recorded = Pick<VersionRecord, "decision" | "evidence">;

/** How the versions of a project were decided; nothing where its ledger cannot be read, which is told elsewhere. */
export async function judgedVersions(root: string): Promise<Judged> {
  const names = await readableVersions(root);
  return (version) => {
    const record = names().get(version);
    return record === undefined ? {} : judgedOf(record);
  };
}

/** What a job of a version is told of that version: how it compares, or that it does not count, and its alerts. */
export function judgedOf({ decision, evidence }: Recorded): Told {
  // No comparison with it counts.
  if (decision?.decision === "invalid") return { notValid: true };
  const alerts = alertsOf(evidence);
  return { ...comparedIn(decision), ...(alerts.length === 0 ? {} : { alerts }) };
}

function comparedIn(decision: Recorded["decision"]): Pick<Told, "compared"> {
  if (decision?.comparison == null) return {};
  const { against, difference, verdict, seeds } = decision.comparison;
  return { compared: { against, difference, verdict, ...(seeds === undefined ? {} : { seeds: seeds[1] }) } };
}

function alertsOf({ selection }: Recorded["evidence"]): NonNullable<Told["alerts"]> {
  const found = (selection?.labels ?? []).flatMap(({ alert, ...label }) =>
    alert === null ? [] : [{ alert, ...label }],
  );
  return foldedLabels(found)
    .map(({ label: { name, alert, over, ...counts } }) => ({
      ...{ name, alert, rate: labelShare(counts).rate },
      ...(over === "group" ? { over } : {}),
    }))
    .sort(byAlert);
}
