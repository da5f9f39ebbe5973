import type { KeptVersion } from "./ports.ts";

/** After so many failures in a row another kept version is tried as a parent as well. */
const failuresBeforeAnother = 2;

/** A version to make changes of; `why` it is not the best kept one, null where it is. */
export interface ChosenParent {
  readonly parent: string;
  readonly why: string | null;
}

/**
 * The versions that the next changes are made of: the best kept one; after failures in a row also another one, which is
 * the kept version that it was made of, or else the best of the others; and that one alone where nothing is left to try on
 * the best.
 */
export function chooseParents({
  champion,
  kept,
  failuresInARow,
  exhausted,
}: {
  readonly champion: string;
  /** In the order of the lineage, the champion among them. */
  readonly kept: readonly KeptVersion[];
  readonly failuresInARow: number;
  readonly exhausted: readonly string[];
}): ChosenParent[] {
  const isOpen = !exhausted.includes(champion);
  const best: ChosenParent[] = isOpen ? [{ parent: champion, why: null }] : [];
  if (isOpen && failuresInARow < failuresBeforeAnother) return best;
  const other = anotherParent(champion, kept, exhausted);
  if (other === undefined) return best;
  const why = isOpen
    ? `This change is made from ${other} instead of ${champion}, because ${failuresInARow} versions in a row were not kept.`
    : `This change is made from ${other} instead of ${champion}, because nothing is left to try on ${champion}.`;
  return [...best, { parent: other, why }];
}

function anotherParent(
  champion: string,
  kept: readonly KeptVersion[],
  exhausted: readonly string[],
): string | undefined {
  const open = kept.filter(({ name }) => name !== champion && !exhausted.includes(name));
  const before = kept.find(({ name }) => name === champion)?.parent;
  const score = (v: KeptVersion): number => v.score ?? -1;
  return (open.find(({ name }) => name === before) ?? [...open].sort((a, b) => score(b) - score(a))[0])?.name;
}
