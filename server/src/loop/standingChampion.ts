import { findVersion, type Lineage } from "../lineage/graph.ts";
import { isReleased, isSetAside } from "../proposals/standing/heldVersion.ts";
import { isReverted } from "../proposals/standing/revertVersion.ts";
import type { LoopState } from "./state.ts";

/** Between two generations, where nothing is under way on top of the champion. */
const betweenGenerations: ReadonlySet<LoopState["step"]> = new Set(["collect", "diagnose", "hypothesise"]);

/**
 * The state with a champion that still stands: one that was reverted, or is held until a person has looked at it, gives way to
 * what it was made of, and one that a person has looked at since and approved takes its place again.
 */
export function withStandingChampion(state: LoopState, lineage: Lineage): LoopState {
  if (state.phase !== "promote" && !betweenGenerations.has(state.step)) return state;
  const standing = fallen(state, lineage);
  const next = standing === null ? null : released(standing, state, lineage);
  const champion = next ?? standing;
  if (champion === state.champion || champion === null) return state;
  return {
    ...state,
    champion,
    ...(next === null ? {} : { released: [...state.released, next] }),
    grounds: [],
    exhausted: [],
    step: state.phase === "promote" ? state.step : "collect",
  };
}

/** The champion, or the nearest version that it was made of and that stands; null where the lineage does not know it. */
function fallen({ champion, baseline }: LoopState, lineage: Lineage): string | null {
  let at = champion;
  const seen = new Set<string>();
  while (at !== null && at !== baseline && !seen.has(at)) {
    seen.add(at);
    const version = findVersion(lineage, at);
    const isHeld = version !== undefined && isSetAside(version, lineage);
    if (!isHeld && !isReverted(lineage, at)) break;
    at = version?.parent ?? null;
  }
  return at;
}

/** What was made of the champion, was held, and was approved since: the newest one, once; null where there is none. */
const released = (champion: string, state: LoopState, lineage: Lineage): string | null =>
  lineage.versions.findLast(
    (v) => v.parent === champion && !state.released.includes(v.name) && isReleased(v, lineage),
  )?.name ?? null;
