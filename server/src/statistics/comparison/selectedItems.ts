import type { SelectedItems } from "../../../../shared/ledger/measures.ts";
import { clusteredShare, newcombe } from "../intervals/proportions.ts";
import type { ItemOutcomes } from "../scores/outcomes.ts";

/** The solve rate of the items has to differ by as much from that of the others before they count as selected. */
const leastDifference = 0.1;
/** How sure it has to be that the items were not drawn at random. */
const confidence = 0.99;

/**
 * Whether the items in common are ones that a version solves much less, or much more often than its others. What was chosen by
 * chance results comes out nearer to the mean by itself (Galton 1886), whatever the other version is, and whatever else it
 * ran. Null where not.
 */
export function selectedItems(a: readonly ItemOutcomes[], b: readonly ItemOutcomes[]): SelectedItems | null {
  return selectedFrom(a, b, "a") ?? selectedFrom(b, a, "b");
}

function selectedFrom(
  whole: readonly ItemOutcomes[],
  part: readonly ItemOutcomes[],
  of: SelectedItems["of"],
): SelectedItems | null {
  const chosen = new Set(part.map(({ item }) => item));
  const selected = whole.filter(({ item }) => chosen.has(item));
  if (selected.length === 0 || selected.length === whole.length) return null;
  const [inside, outside, all] = [
    rateOf(selected),
    rateOf(whole.filter(({ item }) => !chosen.has(item))),
    rateOf(whole),
  ];
  if (inside === null || outside === null || all === null) return null;
  const { low, high } = newcombe(outside, inside, confidence);
  if ((low <= 0 && high >= 0) || Math.abs(inside.share - outside.share) < leastDifference) return null;
  return { of, items: selected.length, all: whole.length, rate: inside.share, rateOfAll: all.share };
}

/** How many items only one of the versions has a known outcome of: of a, of b. They are in no difference. */
export function itemsAlone(a: readonly ItemOutcomes[], b: readonly ItemOutcomes[]): [number, number] {
  const [inA, inB] = [knownItems(a), knownItems(b)];
  const lackedBy = (other: ReadonlySet<string>, items: ReadonlySet<string>): number =>
    [...items].filter((item) => !other.has(item)).length;
  return [lackedBy(inB, inA), lackedBy(inA, inB)];
}

const knownItems = (outcomes: readonly ItemOutcomes[]): Set<string> =>
  new Set(outcomes.filter(({ pass, fail }) => pass + fail > 0).map(({ item }) => item));

const rateOf = (outcomes: readonly ItemOutcomes[]): ReturnType<typeof clusteredShare> =>
  clusteredShare(outcomes.map(({ pass, fail }) => ({ labelled: pass, decided: pass + fail })));
