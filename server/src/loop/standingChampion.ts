import { findVersion, type Lineage } from "../lineage/graph.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";
import {
  isSetAside,
  releasedAbove,
  withThoseAbove,
  type Released,
} from "../proposals/standing/heldVersion.ts";
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
  const champion = next?.version.name ?? standing;
  if (champion === state.champion || champion === null) return state;
  return {
    ...state,
    champion,
    ...(next === null ? {} : { released: [...new Set([...state.released, ...next.held])] }),
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

/**
 * Of what was held and was approved since, the version that scores most, once; null where there is none. What was made of the
 * champion is better than it; what was kept beside it has to score higher.
 */
function released(champion: string, state: LoopState, lineage: Lineage): Released | null {
  const scoreOf = (version: VersionRecord | undefined): number =>
    version?.evidence.selection?.score?.value ?? -1;
  const best = findVersion(lineage, champion);
  const ownLine = new Set(best === undefined ? [] : withThoseAbove(best, lineage));
  const fresh = releasedAbove(state.baseline ?? champion, lineage).filter(
    ({ version, held }) =>
      !ownLine.has(version) &&
      held.some((name) => !state.released.includes(name)) &&
      (withThoseAbove(version, lineage).some(({ parent }) => parent === champion) ||
        scoreOf(version) > scoreOf(best)),
  );
  return fresh.toSorted((a, b) => scoreOf(a.version) - scoreOf(b.version)).at(-1) ?? null;
}
