import { gateKeeper, type GateKeeper } from "../../decision/gateKeeper.ts";
import type { VersionRecord } from "../../lineage/graph.ts";
import { readLoopState, type LoopState } from "../../loop/state.ts";
import type { OpenDomain } from "./openDomain.ts";

/** The state of the evolution of a project's domain; undefined where none was started. */
async function evolutionOf({ workspace, domain }: OpenDomain): Promise<LoopState | undefined> {
  const state = await readLoopState(workspace.engineFolder);
  return state?.domain === domain ? state : undefined;
}

/** Who answers the gates of a project as it stands, by its own settings. */
export async function keeperOf(open: OpenDomain): Promise<GateKeeper> {
  const state = await evolutionOf(open);
  return gateKeeper({
    gates: open.spec.gates,
    versionsDecided: state?.tried.length ?? 0,
    failuresInARow: state?.failuresInARow ?? 0,
  });
}

/** The version that the evolution goes on from, or that the next one would; undefined before there is any. */
export async function championOf(open: OpenDomain): Promise<VersionRecord | undefined> {
  const { versions } = open.lineage;
  const champion = (await evolutionOf(open))?.champion;
  return (
    versions.find((v) => v.name === champion) ??
    versions.findLast((v) => v.decision?.decision === "keep" || v.decision?.decision === "base")
  );
}
