import type { MetricNames } from "../../../../shared/spec/metricNames.ts";
import type { WouldDiffer } from "../../../../shared/ledger/admission.ts";
import {
  replayLineage,
  type RecordedVersion,
  type ReplayedVersion,
} from "../../decision/replay/replayLineage.ts";
import { recordedRules } from "../../decision/replay/rules.ts";
import { keyMetrics } from "../../diagnosis/training.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { metricSummaries } from "../../evidence/queries/metricSummary.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { Project } from "../../project/project.ts";
import { isHarness } from "../../proposals/standing/harnessVersions.ts";
import { archivedVersion } from "../replay/archivedVersion.ts";
import { recordedVersion } from "../replay/recordedVersion.ts";

/**
 * The earlier versions that would be decided otherwise with other diagnostics, in the order of the lineage: labelled anew
 * by what is in force before and after. What would have been otherwise in any case is left out. Stores nothing.
 */
export async function wouldDiffer(
  store: Store,
  lineage: Lineage,
  { version, before, after }: { readonly version: string; readonly before: Project; readonly after: Project },
): Promise<WouldDiffer[]> {
  const replayed = await replayWith(store, lineage, { version, project: after });
  if (!replayed.some(({ state }) => state === "changed")) return [];
  const byBefore = await replayWith(store, lineage, { version, project: before });
  const was = new Map(byBefore.map((v) => [v.name, v.now?.decision ?? null]));
  return replayed.flatMap(({ name, state, recorded, now }) =>
    state === "changed" && recorded !== null && now !== null && was.get(name) !== now.decision
      ? [{ version: name, was: recorded.decision, wouldBe: now.decision, because: now.reason }]
      : [],
  );
}

async function replayWith(
  store: Store,
  lineage: Lineage,
  { version, project }: { readonly version: string; readonly project: Project },
): Promise<ReplayedVersion[]> {
  const { gates, metric } = project.spec;
  const diagnostics = project.diagnostics
    .map(({ spec }) => spec)
    .filter(({ domains }) => domains?.includes(lineage.domain) ?? true);
  const byName = new Map(lineage.versions.map((v) => [v.name, v]));
  const versions: RecordedVersion[] = [];
  for (const one of lineage.versions) {
    if (isHarness(one)) continue;
    const recorded = one.evidence.selection?.score ?? null;
    versions.push(
      recordedVersion(one, {
        archived: await archivedVersion(store, { version: one.name, recorded, diagnostics }),
        training: await trainingOf(store, one, project.spec.metricNames),
        interventions: project.interventions.map(({ spec }) => spec),
        parent: one.parent === null ? undefined : byName.get(one.parent),
      }),
    );
  }
  const rules = { ...recordedRules, harness: version };
  return replayLineage(versions, { rules, gates, aggregator: metric.aggregator });
}

async function trainingOf(store: Store, { name }: VersionRecord, metricNames: MetricNames) {
  const all = await metricSummaries(store, name);
  return { key: keyMetrics(all, metricNames), all };
}
