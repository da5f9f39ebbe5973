import { findVersion, type Lineage } from "../lineage/graph.ts";
import { findRevert } from "../proposals/revertVersion.ts";
import type { LoopState } from "./state.ts";

/** Between two generations, where nothing is under way on top of the champion. */
const betweenGenerations: ReadonlySet<LoopState["step"]> = new Set(["collect", "diagnose", "hypothesise"]);

/** The state without a champion that was reverted: the evolution goes on from what it was made of. */
export function withoutReverted(state: LoopState, lineage: Lineage): LoopState {
  if (state.phase !== "promote" && !betweenGenerations.has(state.step)) return state;
  let { champion } = state;
  const seen = new Set<string>();
  while (champion !== null && champion !== state.baseline && !seen.has(champion)) {
    seen.add(champion);
    const revert = findRevert(lineage, champion);
    // A revert that was reverted itself gives the version back.
    if (revert === undefined || findRevert(lineage, revert) !== undefined) break;
    champion = findVersion(lineage, champion)?.parent ?? null;
  }
  if (champion === state.champion || champion === null) return state;
  return {
    ...state,
    champion,
    grounds: [],
    exhausted: [],
    step: state.phase === "promote" ? state.step : "collect",
  };
}
