import { normalCdf } from "../../statistics/distributions/normal.ts";
import {
  differenceBeyond,
  standardError,
  type DifferenceError,
} from "../../statistics/intervals/seedMixture.ts";
import { pointsWithin } from "../../../../shared/words/numbers.ts";
import { chanceOf, chanceOfLook } from "./errorSpending.ts";
import { compareWithNoise, type NoisyComparison } from "./noisyComparison.ts";
import { withSeeds } from "./planning.ts";
import type { Replicated, ReplicateInput, TestingRules } from "./testing.ts";

/** Below this chance to be kept with all the seeds that it may have, a candidate gets no further seed. */
const hopeless = 0.1;
/** The interval of a look at which nothing can be kept is for reading only. */
const readingTail = 0.025;

/** After every further seed of a screened candidate or of its parent: keep it, reject it, or train one more seed. */
export function replicate(input: ReplicateInput): Replicated {
  const { candidate, parent, noise, rules, looksDone, looksAtMost } = input;
  const chance = chanceOf(input, rules);
  const level = chanceOfLook(chance, looksDone, looksAtMost);
  const tail = level > 0 ? level : readingTail;
  const found = compareWithNoise(parent, candidate, { metric: rules.metric, noise, tail });
  if (found === null)
    return {
      ...{ verdict: "reject", comparison: null, seedsNeeded: null, next: [], level, p: 1 },
      reason: `No item has a known outcome in both ${candidate.name} and ${parent.name}, so they cannot be compared.`,
    };
  const { comparison, p } = found;
  const [ofParent, ofCandidate] = found.seeds;
  const seedsNeeded = comparison.seedsNeeded ?? null;
  const told = { comparison, seedsNeeded, level, p };
  const seen = `${pointsWithin(comparison.difference, comparison.low, comparison.high)} against ${parent.name}, over ${seedsText(ofCandidate)} (${parent.name}: ${ofParent})`;
  const reject = (reason: string): Replicated => ({ verdict: "reject", ...told, next: [], reason });
  if (comparison.verdict === "withheld")
    return reject(`No verdict: ${seen}, on items that were selected by how one of the versions did on them.`);
  if (level > 0 && ofCandidate >= 2 && comparison.verdict === "improved")
    return { verdict: "keep", ...told, next: [], reason: `Better: ${seen}.` };
  if (comparison.verdict === "regressed") return reject(`Worse: ${seen}.`);
  const next = nextSeeds(found, rules);
  if (looksDone + 1 >= looksAtMost || next.length === 0)
    return reject(`Inside the noise: ${seen}.${needText(seedsNeeded, rules)}`);
  const last = chanceOfLook(chance, looksAtMost - 1, looksAtMost);
  const hope = chanceToBeKept(found, { seeds: rules.seeds, last });
  if (hope < hopeless)
    return reject(
      `Inside the noise: ${seen}. Seeds up to ${rules.seeds} would hardly change that.${needText(seedsNeeded, rules)}`,
    );
  return { verdict: "another_seed", ...told, next, reason: `Not clear yet: ${seen}. It gets another seed.` };
}

const seedsText = (seeds: number): string => (seeds === 1 ? "1 seed" : `${seeds} seeds`);

function needText(seedsNeeded: number | null, { seeds }: TestingRules): string {
  if (seedsNeeded === null) return " More seeds would not show such a difference: more items are needed.";
  return seedsNeeded > seeds
    ? ` About ${seedsNeeded} seeds of each would be needed to show such a difference, and testing.seeds allows ${seeds}.`
    : "";
}

/** Whichever of the two has fewer seeds, or both; nobody has more than the rules allow. */
function nextSeeds(
  { seeds: [ofParent, ofCandidate] }: NoisyComparison,
  { seeds }: TestingRules,
): Replicated["next"] {
  const least = Math.min(ofParent, ofCandidate);
  if (least >= seeds) return [];
  return [
    ...(ofCandidate === least ? (["candidate"] as const) : []),
    ...(ofParent === least ? (["parent"] as const) : []),
  ];
}

/** The chance that the last look keeps it, if the difference is as it was measured and all seeds are trained. */
function chanceToBeKept(
  { comparison, error, se }: NoisyComparison,
  { seeds, last }: { readonly seeds: number; readonly last: number },
): number {
  const all: DifferenceError = { ...withSeeds(error, seeds), seedDegrees: error.seedDegrees + 2 };
  const critical = differenceBeyond(last, all);
  // What is measured so far is part of what will be: only the rest of the error is still to come.
  const toCome = Math.sqrt(Math.max(1e-12, se ** 2 - standardError(all) ** 2));
  return normalCdf((comparison.difference - critical) / toCome);
}
