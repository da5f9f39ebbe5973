import { both, countBits, countBoth, jaccard, type Bits } from "./bits.ts";
import { induce, type Conjunction } from "./contrast.ts";
import type { HeldAtom } from "./featureTable.ts";
import { overItems, withInterval, type Share } from "./judged.ts";

/** A rollout of a version or of its parent, as a condition that may be a new way to pass sees it. */
export interface WayRollout {
  readonly own: boolean;
  readonly item: string;
  readonly outcome: string;
  readonly held: boolean;
}

/** How a condition stands in what passes; shares over rollouts, with intervals over items. */
export interface WayJudged {
  /** Of the version's passes on items that its parent mostly fails: how many it holds for. */
  readonly ofNew: Share;
  /** Of the parent's passes on the same items; null where it has too few to say. */
  readonly ofParent: Share | null;
  /** Of all rollouts of the parent on the same items. */
  readonly ofParentAll: Share;
  /** Of the version's rollouts for which it holds: how many pass. */
  readonly passing: Share;
}

/** Passes of the parent below which they say nothing: then all its rollouts are what a way has to be new against. */
const fewestPasses = 10;
/**
 * Of the new passes surely so many have it, of the parent's passes at most so many, and of the rollouts that have it surely so
 * many pass: what is learned also fails, what is let through does not.
 */
const wayBounds = { ofNew: 0.5, ofParent: 0.05, passing: 0.8 } as const;

/** The items of which the parent fails at least half of the rollouts: what passes there is new. */
export function failedItems(
  rollouts: readonly Pick<WayRollout, "own" | "item" | "outcome">[],
): ReadonlySet<string> {
  const items = new Map<string, { passes: number; known: number }>();
  for (const { own, item, outcome } of rollouts) {
    if (own || (outcome !== "pass" && outcome !== "fail")) continue;
    const at = items.get(item) ?? { passes: 0, known: 0 };
    items.set(item, at);
    at.known += 1;
    if (outcome === "pass") at.passes += 1;
  }
  return new Set([...items].flatMap(([item, { passes, known }]) => (passes * 2 <= known ? [item] : [])));
}

/** Judges a condition on rollouts that it was not induced on; null where the version or its parent has nothing to say. */
export function judgeWay(rollouts: readonly WayRollout[], failed: ReadonlySet<string>): WayJudged | null {
  const shared = new Set(rollouts.filter(({ own }) => !own).map(({ item }) => item));
  const own = rollouts.filter((r) => r.own && shared.has(r.item));
  const parent = rollouts.filter((r) => !r.own);
  const isPass = ({ outcome }: WayRollout): boolean => outcome === "pass";
  const isHeld = ({ held }: WayRollout): boolean => held;
  const ofNew = shareOf(
    own.filter((r) => isPass(r) && failed.has(r.item)),
    isHeld,
  );
  const ofParentAll = shareOf(parent, isHeld);
  const passing = shareOf(own.filter(isHeld), isPass);
  if (ofNew === null || ofParentAll === null || passing === null) return null;
  const passes = parent.filter(isPass);
  return {
    ofNew,
    ofParentAll,
    passing,
    ofParent: passes.length < fewestPasses ? null : shareOf(passes, isHeld),
  };
}

/** Whether most of what newly passes does so in a way in which next to nothing passed before, and which mostly passes. */
export function isNewWay({ ofNew, ofParent, ofParentAll, passing }: WayJudged): boolean {
  return (
    ofNew.low >= wayBounds.ofNew &&
    (ofParent ?? ofParentAll).value <= wayBounds.ofParent &&
    passing.low >= wayBounds.passing
  );
}

/** Ways that are judged, and those of them that are told: the rest are other words for the same. */
const mostWays = 5;
/** From this overlap on two ways are one. */
const sameWay = 0.9;

/**
 * Conditions that may be a new way to pass on the rollouts that they are induced on: the one that most new passes share comes
 * first, and among those the shortest. More or less of what was done before is no new way, so counts are left out.
 */
export function induceWays(
  atoms: readonly HeldAtom[],
  {
    newPasses,
    parentPasses,
    least,
  }: { readonly newPasses: Bits; readonly parentPasses: Bits; readonly least: number },
): Conjunction[] {
  const [all, before] = [countBits(newPasses), countBits(parentPasses)];
  if (all < least) return [];
  const kinds = atoms.filter(({ atom }) => atom.counts !== true);
  const sides = { positive: newPasses, negative: parentPasses };
  const singles = kinds.map(({ atom, held }) => ({ atoms: [atom], held, quality: 0 }));
  const found = [...singles, ...induce(kinds, sides, { least, most: 4 * mostWays })].flatMap((one) => {
    const ofNew = countBoth(one.held, newPasses) / all;
    const ofParent = before === 0 ? 0 : countBoth(one.held, parentPasses) / before;
    return ofNew >= wayBounds.ofNew && ofParent <= wayBounds.ofParent ? [{ one, ofNew }] : [];
  });
  found.sort((a, b) => b.ofNew - a.ofNew || costOf(a.one) - costOf(b.one));
  const chosen: Conjunction[] = [];
  for (const { one } of found)
    if (
      chosen.length < mostWays &&
      chosen.every(({ held }) => jaccard(both(held, newPasses), both(one.held, newPasses)) < sameWay)
    )
      chosen.push(one);
  return chosen;
}

const costOf = ({ atoms }: Conjunction): number => atoms.reduce((sum, { cost }) => sum + cost, 0);

const shareOf = (rollouts: readonly WayRollout[], isHit: (rollout: WayRollout) => boolean): Share | null =>
  withInterval(overItems(rollouts, isHit));
