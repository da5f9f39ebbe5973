import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { readLoopState, type LoopState } from "../../loop/state.ts";
import { isHarness } from "../../proposals/standing/harnessVersions.ts";
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
  const kept = open.lineage.versions.filter(isKept);
  const ours = kept.filter((v) => v.standing !== "claim");
  const champion = (await evolutionOf(open))?.champion;
  // In a clone whose writer is not trusted yet there is nothing else to propose a change of; it waits for a person anyway.
  return ours.find((v) => v.name === champion) ?? ours.at(-1) ?? kept.at(-1);
}

/** The version that changes are proposed of where nobody names one: the champion, and before there is one the newest run that was imported. */
export async function toChange(open: OpenDomain): Promise<VersionRecord | undefined> {
  return (await championOf(open)) ?? newestRun(open.lineage.versions);
}
