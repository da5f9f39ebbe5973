import { pointsWithin } from "../../../../shared/words/numbers.ts";
import { compareWithNoise } from "./noisyComparison.ts";
import type { Screened, ScreenInput } from "./testing.ts";

/**
 * How likely a candidate that is exactly as good as its parent passes the screen. Simulated: with less, true improvements
 * are lost; with more, seeds are spent on candidates that nothing comes of.
 */
export const screenChance = 0.3;

/** After a candidate's first seed: whether it looks better by enough to be worth further seeds. It never keeps. */
export function screen({ candidate, parent, noise, rules }: ScreenInput): Screened {
  const found = compareWithNoise(parent, candidate, { metric: rules.metric, noise, tail: 0.025 });
  if (found === null)
    return {
      verdict: "reject",
      comparison: null,
      reason: `No item has a known outcome in both ${candidate.name} and ${parent.name}, so they cannot be compared.`,
    };
  const { comparison, p } = found;
  const seen = `${pointsWithin(comparison.difference, comparison.low, comparison.high)} against ${parent.name}`;
  if (comparison.verdict === "withheld")
    return {
      verdict: "reject",
      comparison,
      reason: `No verdict on the first seed: ${seen}, on items that were selected by how one of the versions did on them.`,
    };
  if (p <= screenChance)
    return {
      verdict: "screened",
      comparison,
      reason: `Looks better on its first seed: ${seen}. More seeds will show whether that holds.`,
    };
  return {
    verdict: "reject",
    comparison,
    reason:
      comparison.verdict === "regressed"
        ? `Worse on its first seed: ${seen}.`
        : `Does not look better on its first seed: ${seen}.`,
  };
}
