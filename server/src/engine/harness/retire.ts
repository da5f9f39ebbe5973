import type { WouldDiffer } from "../../../../shared/ledger/admission.ts";
import { refuseLettingThrough } from "../../backtest/quarantine.ts";
import { HarnessError } from "../../base/errors.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { admittedHarness } from "../../proposals/standing/harnessVersions.ts";
import type { HarnessGround } from "./assessHarness.ts";
import { admittedChanges, overlay } from "../project/harnessProject.ts";
import { wouldDiffer } from "./wouldDiffer.ts";

/**
 * What a harness version's retirement would change, once it is found to be harmless: no later one is made of it, and no
 * quarantined version is let through. @throws HarnessError badInput, revisionRefused
 */
export async function retiring(ground: HarnessGround, { name }: VersionRecord): Promise<WouldDiffer[]> {
  const { store, repository, lineage, project } = ground;
  const admitted = admittedHarness(lineage);
  const place = admitted.findIndex((v) => v.name === name);
  // A revert that is reverted gives back what was in force: that is measured like any other.
  if (place === -1) return [];
  const [later] = admitted.slice(place + 1).reverse();
  if (later !== undefined)
    throw new HarnessError(
      "badInput",
      `${later.name} was made of ${name}; revert ${later.name} first, or propose the diagnostic as it was with \`evotrainer propose --diagnostic <file>\`.`,
    );
  const changes = await admittedChanges(repository, lineage);
  const before = overlay(project, changes).project;
  const after = overlay(
    project,
    changes.filter(({ version }) => version !== name),
  ).project;
  await refuseLettingThrough(store, {
    versions: lineage.versions,
    diagnostics: after.diagnostics.map(({ spec }) => spec),
    domain: lineage.domain,
  });
  return wouldDiffer(store, lineage, { version: name, before, after });
}
