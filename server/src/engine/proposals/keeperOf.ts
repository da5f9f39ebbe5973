import { gateKeeper, type GateKeeper } from "../../gates/gate.ts";
import { readLoopState } from "../../loop/state.ts";
import type { OpenDomain } from "./openDomain.ts";

/** Who answers the gates of a project as it stands, by its own settings. */
export async function keeperOf({ workspace, spec, domain }: OpenDomain): Promise<GateKeeper> {
  const state = await readLoopState(workspace.engineFolder);
  const own = state?.domain === domain ? state : undefined;
  return gateKeeper({
    gates: spec.gates,
    versionsDecided: own?.tried.length ?? 0,
    failuresInARow: own?.failuresInARow ?? 0,
  });
}
