import { diagnose } from "../../diagnosis/diagnose.ts";
import type { Finding } from "../../diagnosis/rules.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { EntryLog } from "../../lineage/entries/entryLog.ts";
import type { Project } from "../../project/project.ts";
import { labelProgramsOf, refusedFor } from "../project/labelPrograms.ts";
import { splitOrDefault } from "../workspace/openSplit.ts";
import { placeIn } from "../project/placeInLineage.ts";

/** What is wrong with a version by the diagnostics of the project as it stands now, the most severe first. */
export async function findingsOf(
  version: string,
  {
    store,
    root,
    project,
    domain,
    entries,
    caller,
    owner,
    signal,
  }: {
    readonly store: Store;
    readonly root: string;
    readonly project: Project;
    readonly domain: string;
    readonly entries: EntryLog;
    /** Whether who asks, and the process that has the archive, may run the programs of diagnostics. */
    readonly caller: boolean;
    readonly owner: boolean;
    readonly signal: AbortSignal;
  },
): Promise<readonly Finding[]> {
  const { spec, diagnostics } = project;
  const refused = refusedFor({ caller, owner });
  const diagnosis = await diagnose(store, {
    ...{ version, domain, aggregator: spec.metric.aggregator, metricNames: spec.metrics },
    diagnostics: diagnostics.map((d) => d.spec),
    // A run that was imported may have rollouts of its training alone.
    scope: { split: await splitOrDefault(store, version, undefined) },
    outside: labelProgramsOf(root, { models: spec.models, refused, signal }),
    ...placeIn(entries, version),
  });
  return diagnosis.findings;
}
