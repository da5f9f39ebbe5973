import { wilson } from "../statistics/intervals/proportions.ts";
import type { Atom } from "./atoms.ts";
import { both, countBoth, countBits, jaccard, type Bits } from "./bits.ts";
import type { HeldAtom } from "./featureTable.ts";

/** Two sets of rollouts that are contrasted. */
export interface Contrast {
  readonly positive: Bits;
  readonly negative: Bits;
}

/** Atoms that hold together, as they were induced. */
export interface Conjunction {
  readonly atoms: readonly Atom[];
  readonly held: Bits;
  readonly quality: number;
}

/** Atoms that are extended by another, and atoms that they are extended by. */
const beamWidth = 30;
const extensions = 150;
/** What one more atom has to add to the quality, as a share. */
const leastGain = 0.08;

/**
 * Short conditions that hold for many of the positive rollouts and few of the negative ones, the best first and each unlike
 * those before it. Deterministic.
 */
export function induce(
  atoms: readonly HeldAtom[],
  contrast: Contrast,
  { least, most }: { readonly least: number; readonly most: number },
): Conjunction[] {
  const quality = qualityIn(contrast, least);
  const singles = ranked(atoms.map(({ atom, held }) => ({ atoms: [atom], held, quality: quality(held, 1) })));
  const found = [...singles];
  let beam = singles.slice(0, beamWidth);
  for (const length of [2, 3]) {
    const longer = beam.flatMap((one) =>
      singles
        .slice(0, extensions)
        .filter(({ atoms: [atom] }) => atom !== undefined && !one.atoms.includes(atom))
        .map((other) => {
          const held = both(one.held, other.held);
          return { atoms: [...one.atoms, ...other.atoms], held, quality: quality(held, length), from: one };
        })
        .filter((made) => made.quality > made.from.quality * (1 + leastGain)),
    );
    beam = ranked(longer).slice(0, beamWidth);
    found.push(...beam);
  }
  return different(ranked(found), most);
}

/**
 * How surely the condition picks out positives (the lower end of the precision's interval above one half, as if the two sides
 * were equally large), times the root of how many it picks out: a rare behaviour counts, a lucky one does not.
 */
function qualityIn({ positive, negative }: Contrast, least: number): (held: Bits, length: number) => number {
  const [p, n] = [countBits(positive), countBits(negative)];
  return (held, length) => {
    const hits = countBoth(held, positive);
    if (hits < least || n === 0) return 0;
    const misses = countBoth(held, negative);
    const share = hits / (hits + (misses * p) / n);
    const sure = wilson({ share, size: hits + misses }).low - 0.5;
    return Math.max(0, sure) * Math.sqrt(hits) * (1 - 0.05 * (length - 1));
  };
}

function ranked<T extends Conjunction>(found: readonly T[]): T[] {
  return found
    .filter((one) => one.quality > 0)
    .sort((a, b) => b.quality - a.quality || costOf(a) - costOf(b));
}

const costOf = ({ atoms }: Conjunction): number => atoms.reduce((sum, { cost }) => sum + cost, 0);

/** Conditions that are looked at for unlikeness. */
const considered = 600;

/** The best ones, where likeness to one that was chosen takes the same share of the quality. */
function different(sorted: readonly Conjunction[], most: number): Conjunction[] {
  const left = sorted.slice(0, considered).map((one) => ({ one, like: 0 }));
  const chosen: Conjunction[] = [];
  while (chosen.length < most) {
    let best: (typeof left)[number] | undefined;
    for (const entry of left)
      if (entry.like < 0.9 && (best === undefined || worth(entry) > worth(best))) best = entry;
    if (best === undefined) break;
    chosen.push(best.one);
    for (const entry of left) entry.like = Math.max(entry.like, likeness(entry.one, best.one));
  }
  return chosen;
}

/** How little news a condition is beside one that was chosen: words that only occur where it holds are hardly any. */
function likeness(one: Conjunction, chosen: Conjunction): number {
  const share = countBoth(one.held, chosen.held) / countBits(one.held);
  return Math.max(jaccard(one.held, chosen.held), costOf(one) > costOf(chosen) ? share : 0.7 * share);
}

const worth = ({ one, like }: { one: Conjunction; like: number }): number => one.quality * (1 - like);
