import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { readLoopState, type LoopState } from "../../loop/state.ts";
import { withStandingChampion } from "../../loop/standingChampion.ts";
import { isSetAside } from "../../proposals/standing/heldVersion.ts";
import { isHarness } from "../../proposals/standing/harnessVersions.ts";
import { isReverted } from "../../proposals/standing/revertVersion.ts";
import { newestRun } from "../fromRuns/runVersions.ts";
import type { OpenDomain } from "./openDomain.ts";

/** The state of the evolution of a project's domain; undefined where none was started. */
async function evolutionOf({ workspace, domain }: OpenDomain): Promise<LoopState | undefined> {
  const state = await readLoopState(workspace.engineFolder);
  return state?.domain === domain ? state : undefined;
}

/** Its state lies where anybody may edit it: what it names counts if the ledger says so too. */
const isKept = (version: VersionRecord): boolean =>
  !isHarness(version) && (version.decision?.decision === "keep" || version.decision?.decision === "base");

/** The version that the evolution goes on from, or that the next one would; undefined before there is any. */
async function championOf(open: OpenDomain): Promise<VersionRecord | undefined> {
  const { lineage } = open;
  const kept = lineage.versions.filter(isKept);
  const ours = kept.filter(
    (v) => v.standing !== "claim" && !isReverted(lineage, v.name) && !isSetAside(v, lineage),
  );
  const state = await evolutionOf(open);
  // A person may have answered since the evolution wrote its state.
  const champion = state === undefined ? undefined : withStandingChampion(state, lineage).champion;
  // In a clone whose writer is not trusted yet there is nothing else to propose a change of; it waits for a person anyway.
  return ours.find((v) => v.name === champion) ?? ours.at(-1) ?? kept.at(-1);
}

/** The version that changes are proposed of where nobody names one: the champion, and before there is one the newest run that was imported. */
export async function toChange(open: OpenDomain): Promise<VersionRecord | undefined> {
  return (await championOf(open)) ?? newestRun(open.lineage.versions);
}
