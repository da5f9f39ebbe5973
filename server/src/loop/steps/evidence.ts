import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { Project } from "../../project/project.ts";
import type { Diagnosis, LoopPorts } from "../ports.ts";
import { seedsOfVersion } from "./looks.ts";

/** The id of what was measured of a version with these seeds; of the first seed it is as earlier releases had it. */
export function evidenceId(version: string, seeds: readonly number[]): string {
  const id = `evidence:${version}:selection`;
  return seeds.length < 2 ? id : `${id}:s${seeds.join("-")}`;
}

/** What was measured of a version with the seeds that it has by now, for the ledger: the latest counts. */
export async function evidenceOf(
  version: string,
  seeds: readonly number[],
  {
    domain,
    project,
    ports,
  }: { readonly domain: string; readonly project: Project; readonly ports: LoopPorts },
): Promise<LedgerEntry> {
  const measured = await ports.diagnose(version, project);
  const on = await ports.measuredOn(version, "train");
  return evidenceEntry({ version, seeds, domain, at: ports.now() }, measured, on);
}

/** Records what was measured of a version that got further seeds, unless that is recorded. */
export async function renewEvidence(
  version: string,
  place: { readonly domain: string; readonly project: Project; readonly ports: LoopPorts },
): Promise<void> {
  const seeds = await seedsOfVersion(place.ports, version);
  if (await place.ports.isRecorded(evidenceId(version, seeds))) return;
  await place.ports.appendToLedger([await evidenceOf(version, seeds, place)]);
}

export function evidenceEntry(
  place: {
    readonly version: string;
    readonly seeds: readonly number[];
    readonly domain: string;
    readonly at: string;
  },
  measured: Diagnosis,
  on: Awaited<ReturnType<LoopPorts["measuredOn"]>>,
): LedgerEntry {
  const { version, seeds, domain, at } = place;
  return {
    ...{ id: evidenceId(version, seeds), at, domain, type: "evidence", version, split: "selection" },
    score: measured.score,
    cleanScore: measured.cleanScore,
    labels: [...measured.labels],
    signals: { ...measured.signals },
    ...(on === null ? {} : { measuredOn: on }),
    ...(seeds.length === 0 ? {} : { seeds: [...seeds] }),
  };
}
