import { verdictLooks } from "../../../../shared/words/decisions.ts";
import { counted, percent, pointsInterval, pointsWithin } from "../../../../shared/words/numbers.ts";
import type { ScoreDifference, Withheld } from "../../statistics/comparison/compareScores.ts";
import type { ScoreOnSet } from "./scoreAlone.ts";

/** Two scores on one set, and what can be said of their difference. */
export interface SetComparison extends ScoreDifference {
  readonly set: string | null;
  readonly a: ScoreOnSet;
  readonly b: ScoreOnSet;
}

interface Names {
  readonly a: string;
  readonly b: string;
}

/** The difference first, then how far it can be trusted, a sentence or two each. */
export function setSentences(names: Names, c: SetComparison): string[] {
  const { a, b, narrow, wide, overSeeds, outer, withheld } = c;
  const on = c.set === null ? "" : ` on ${c.set}`;
  const shown = wide ?? narrow;
  return [
    `${names.b} against ${names.a}${on}: ${pointsWithin(c.difference, shown.low, shown.high)}, ${verdictLooks[c.verdict].word}, by scores alone (${told(a)} and ${told(b)}).`,
    ...(withheld === null ? [] : [`There is no verdict, because ${because(withheld, names, c)}.`]),
    wide === null
      ? "95 % interval: Newcombe, as if every rollout were an independent trial; the true interval is wider, because rollouts of the same item tend to end the same way."
      : `95 % interval: Newcombe, with ${size(a)} against ${size(b)}; were every rollout an independent trial, it would be ${pointsInterval(narrow.low, narrow.high)} points.`,
    ...(overSeeds === null
      ? []
      : [`Over the seeds alone: ${pointsInterval(overSeeds.low, overSeeds.high)} points (Welch).`]),
    ...(outer === null
      ? []
      : [`With unknown outcomes counted either way: ${pointsInterval(outer.low, outer.high)} points.`]),
    ...seedLines(names, c),
  ];
}

/** What no comparison of scores can say. */
export const reachSentences: readonly string[] = [
  "Nothing is compared item by item: a score does not say which items were solved, so how hard they are does not cancel out. Rollouts of the same items would show smaller differences.",
  "Without rollouts there are no labels, flips, groups, guardrails or behaviours to compare.",
];

const told = ({ score, n, items, from }: ScoreOnSet): string =>
  `${percent(score)} of ${counted(n, "rollout")}${items === null ? "" : ` of ${counted(items, "item")}`}${from === "rollouts" ? ", from its rollouts" : ""}`;

const size = ({ items, from }: ScoreOnSet): string =>
  from === "rollouts"
    ? `${counted(items ?? 0, "item")} whose rollouts agree as they were seen to`
    : `${counted(items ?? 0, "item")} as if the rollouts of each ended alike`;

function because(withheld: Withheld, { a, b }: Names, c: SetComparison): string {
  switch (withheld) {
    case "items_differ":
      return `${a} ran ${counted(c.a.items ?? 0, "item")} and ${b} ${counted(c.b.items ?? 0, "item")}: which items were left out can make all of the difference`;
    case "items_not_told":
      return `the scores do not say how many items the rollouts of ${lacking({ a, b }, c)} come from, and rollouts of the same item tend to end the same way, so they count for less than independent trials`;
    case "few_items":
      return "with fewer than 20 items no interval keeps its confidence level";
    case "items_may_agree":
      return "it depends on how far the rollouts of an item end alike, which a score does not say";
    case "seeds_differ":
      return "the seeds of one version differ as much";
    case "unknown_matter":
      return `the rollouts with an unknown outcome (${c.a.unknown} of ${a}, ${c.b.unknown} of ${b}) could turn it`;
  }
}

const lacking = ({ a, b }: Names, c: SetComparison): string =>
  [c.a.fewest === null ? a : "", c.b.fewest === null ? b : ""].filter((name) => name !== "").join(" and ");

function seedLines({ a, b }: Names, { a: ofA, b: ofB, overSeeds }: SetComparison): string[] {
  if (overSeeds !== null) return [];
  if (ofA.seeds === null || ofB.seeds === null)
    return [
      `How many training runs ${ofA.seeds === null ? a : b} is the mean of is not reported: nobody knows how much another one would differ.`,
    ];
  return ofA.seeds === 1 && ofB.seeds === 1
    ? ["One seed each: nobody knows how much another training run would differ."]
    : [
        `${counted(ofA.seeds, "seed")} of ${a} and ${ofB.seeds} of ${b}, but not every score says which seed it is of, so the interval leaves out how much training runs differ. Import a row for each seed.`,
      ];
}
