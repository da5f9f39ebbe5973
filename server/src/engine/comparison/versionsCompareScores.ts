import { HarnessError } from "../../base/errors.ts";
import { compareScores } from "../../statistics/comparison/compareScores.ts";
import { defineService } from "../workspace/service.ts";
import { scoresOf, type ScoreOnSet } from "./scoreAlone.ts";
import { reachSentences, setSentences, type SetComparison } from "./scoreSentences.ts";

/**
 * Compares version `b` with `a` by their solve rates alone, on every set of items that both have a score of.
 * @throws HarnessError notFound, notComparable
 */
export const versionsCompareScores = defineService("versions.compareScores", {
  repeatable: true,
  async run({ store }, { a, b }) {
    const [ofA, ofB] = [await scoresOf(store, a), await scoresOf(store, b)];
    for (const [name, found] of [
      [a, ofA],
      [b, ofB],
    ] as const)
      if (found.length === 0)
        throw new HarnessError(
          "notFound",
          `${name} has no score: neither rollouts of the selection split with a known outcome, nor a score that was imported.`,
        );
    const pairs = pairsOf(ofA, ofB);
    if (pairs.length === 0)
      throw new HarnessError(
        "notComparable",
        `${a} was measured on ${setsOf(ofA)} and ${b} on ${setsOf(ofB)}; only scores of the same set can be compared.`,
      );
    const comparisons = pairs.map(([inA, inB]): SetComparison => ({
      set: inA.set ?? inB.set,
      a: inA,
      b: inB,
      ...compareScores(inA, inB),
    }));
    const sentences = [
      ...comparisons.flatMap((c) => setSentences({ a, b }, c)),
      ...(comparisons.some((c) => c.a.set !== c.b.set)
        ? ["Only one of the versions says what it was measured on; that both ran the same is assumed here."]
        : []),
      ...reachSentences,
    ];
    return { version: b, against: a, comparisons, sentences };
  },
});

/** Scores of the same set; one that names no set goes with the only set of the other version. */
function pairsOf(a: readonly ScoreOnSet[], b: readonly ScoreOnSet[]): [ScoreOnSet, ScoreOnSet][] {
  const same = a.flatMap((x): [ScoreOnSet, ScoreOnSet][] => {
    const y = b.find(({ set }) => set === x.set);
    return y === undefined ? [] : [[x, y]];
  });
  const [onlyA, onlyB] = [a, b].map((of) => (of.length === 1 ? of[0] : undefined));
  if (same.length > 0 || onlyA === undefined || onlyB === undefined) return same;
  return onlyA.set === null || onlyB.set === null ? [[onlyA, onlyB]] : [];
}

const setsOf = (scores: readonly ScoreOnSet[]): string =>
  scores.map(({ set }) => set ?? "something that is not named").join(", ");
