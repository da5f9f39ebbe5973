import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";
import { points, pointsApart } from "../../../../shared/words/numbers.ts";
import { largestOfNormals } from "../../statistics/comparison/pickedBest.ts";
import { quantileSorted } from "../../statistics/distributions/quantile.ts";
import type { Wear, WearInput } from "./testing.ts";

/**
 * How worn the selection split is. The best of m versions seems better than it is by at most the standard error times the
 * expected largest of m normals (Harter 1961); versions that are compared on the same items share errors and are flattered
 * less. A fresh draw of the items is due when this exceeds the margin and half of the gain that is claimed: then the gain may
 * come from having looked often enough.
 */
export function wear({ comparisons, gain, margin }: WearInput): Wear {
  const looks = comparisons.length;
  if (looks === 0)
    return {
      ...{ looks, expectedOptimism: 0, freshDrawDue: false },
      sentence: "No version has been compared on the selection split yet.",
    };
  // The median: the first comparisons of an evolution know little about seeds, and are as wide as that makes them.
  const errors = comparisons.map(standardErrorOf).sort((a, b) => a - b);
  const se = quantileSorted(errors, 0.5);
  const expectedOptimism = looks === 1 ? 0 : Math.min(1, se * largestOfNormals(looks));
  const claims = gain !== null && gain > 0;
  const freshDrawDue = claims && expectedOptimism > margin && expectedOptimism > gain / 2;
  const times = looks === 1 ? "One comparison has" : `${looks} comparisons have`;
  const claimed = !claims ? "" : `; the gain that is claimed is ${points(gain)}`;
  const due = freshDrawDue
    ? " Draw fresh selection items: more than half of the gain may come from having looked so often."
    : "";
  return {
    ...{ looks, expectedOptimism, freshDrawDue },
    sentence: `${times} used the selection split: the best seems better than it is by up to ${pointsApart(expectedOptimism)}${claimed}.${due}`,
  };
}

function standardErrorOf({ low, high, confidence }: WearInput["comparisons"][number]): number {
  return (high - low) / 2 / normalQuantile(1 - (1 - confidence) / 2);
}
