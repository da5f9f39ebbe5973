import { shareOf, type Profile } from "./profile.ts";
import { editDistance, type Change } from "./editDistance.ts";
import type { Case } from "./case.ts";

/** What cases are compared with: a change, and what the version fails at that it is made of. */
export interface CaseQuestion {
  /** Null to ask by the failures alone. */
  readonly change: Change | null;
  readonly profile: Profile | null;
}

export interface NearCase {
  readonly case: Case;
  /** In [0, 1]: 0 for the same change of a version with the same failures. */
  readonly distance: number;
  /** Of the changes; null where none was asked about. */
  readonly edit: number | null;
  /** Of the failures of the two parents; null where they are not known. */
  readonly failures: number | null;
}

/** How much the change counts for, against the failures. */
const changeCounts = 0.6;

/** The nearest cases, the nearest first, the later one first where two are equally near. */
export function nearestCases(
  cases: readonly Case[],
  { change, profile }: CaseQuestion,
  limit: number,
): NearCase[] {
  const asked = profile === null ? null : sharesOf(profile);
  const nearest: NearCase[] = [];
  for (const one of cases) {
    const edit = change === null ? null : editDistance(change, one);
    const farthest = nearest.length < limit ? 1 : (nearest.at(-1)?.distance ?? 1);
    // The change alone is too far away: what the parents fail at need not be compared.
    if (edit !== null && changeCounts * edit > farthest) continue;
    const failures = asked === null ? null : failuresApart(asked, one.profile);
    const distance = together(edit, failures);
    if (nearest.length >= limit && distance > farthest) continue;
    const place = nearest.findIndex((other) => distance <= other.distance);
    nearest.splice(place < 0 ? nearest.length : place, 0, { case: one, distance, edit, failures });
    if (nearest.length > limit) nearest.pop();
  }
  return nearest;
}

function together(edit: number | null, failures: number | null): number {
  if (edit === null) return failures ?? 1;
  return failures === null ? edit : changeCounts * edit + (1 - changeCounts) * failures;
}

interface Shares {
  readonly by: ReadonlyMap<string, number>;
  readonly total: number;
}

function sharesOf({ rates }: Profile): Shares {
  const by = new Map([...rates].map(([name, rate]) => [name, shareOf(rate)]));
  return { by, total: [...by.values()].reduce((sum, share) => sum + share, 0) };
}

/** What summing in another order leaves of nothing. */
const rounding = 1e-12;

/**
 * The share of the failures that two profiles do not have in common, in [0, 1]; null where both are empty. What the case lacks
 * counts in full, so only what it has is gone through: ten thousand cases are compared at once.
 */
function failuresApart({ by, total }: Shares, { rates }: Profile): number | null {
  let [apart, all] = [total, total];
  for (const [name, rate] of rates) {
    const [a, b] = [by.get(name) ?? 0, shareOf(rate)];
    apart += Math.abs(a - b) - a;
    all += Math.max(a, b) - a;
  }
  if (all <= rounding) return null;
  return apart <= rounding ? 0 : apart / all;
}
