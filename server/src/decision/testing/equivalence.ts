import { pointsApart, pointsWithin } from "../../../../shared/words/numbers.ts";
import { fewestItems } from "../../statistics/intervals/itemInterval.ts";
import { differenceBeyond } from "../../statistics/intervals/seedMixture.ts";
import { compareWithNoise, type NoisyComparison } from "./noisyComparison.ts";
import { withSeeds } from "./planning.ts";
import type { Equivalence, EquivalenceInput } from "./testing.ts";

const mostSeeds = 100;

/**
 * Whether a kept edit can go, by two one-sided tests (Schuirmann 1987): the interval of what the edit is worth has a tail of
 * 1 − confidence at each end. It is not needed if the whole interval lies below the margin, needed if it lies above zero,
 * and where both are true (it is worth something, and less than the margin) it is not needed.
 */
export function equivalent(input: EquivalenceInput): Equivalence {
  const { with: kept, without, noise, metric, margin, confidence } = input;
  const tail = 1 - confidence;
  const found = compareWithNoise(without, kept, { metric, noise, tail });
  if (found === null)
    return {
      ...{ verdict: "cannot_tell", comparison: null, seedsNeeded: null },
      reason: `No item has a known outcome in both ${kept.name} and ${without.name}, so they cannot be compared.`,
    };
  const { comparison } = found;
  const worth = `with the edit ${pointsWithin(comparison.difference, comparison.low, comparison.high)} against ${without.name}, margin ${pointsApart(margin)}`;
  const seedsNeeded = seedsFor(found, { margin, tail });
  const told = { comparison, seedsNeeded };
  if (comparison.verdict === "withheld")
    return {
      ...{ verdict: "cannot_tell", ...told },
      reason: `The items were selected by how one of the versions did on them: ${worth}.`,
    };
  if (comparison.high < margin)
    return {
      ...{ verdict: "not_needed", ...told },
      reason:
        comparison.high < 0
          ? `Not needed, it even does harm: ${worth}.`
          : `Not needed, leaving it out costs less than the margin: ${worth}.`,
    };
  if (comparison.low > 0) return { verdict: "needed", ...told, reason: `Needed: ${worth}.` };
  const more =
    seedsNeeded === null
      ? "With these items, no number of seeds would be enough."
      : `About ${seedsNeeded} seeds of each would be enough.`;
  return { verdict: "cannot_tell", ...told, reason: `Cannot tell: ${worth}. ${more}` };
}

/** Seeds of each with which an edit that is worth nothing is found not to be needed, half of the time. */
function seedsFor(
  { error, seeds, comparison }: NoisyComparison,
  { margin, tail }: { readonly margin: number; readonly tail: number },
): number | null {
  if (error.seedDegrees === 0 || comparison.items < fewestItems) return null;
  for (let s = Math.max(2, ...seeds); s <= mostSeeds; s++) {
    const all = { ...withSeeds(error, s), seedDegrees: Math.max(error.seedDegrees, 2 * (s - 1)) };
    if (differenceBeyond(tail, all) < margin) return s;
  }
  return null;
}
