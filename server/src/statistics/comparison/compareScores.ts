import type { VerdictWord } from "../../../../shared/words/decisions.ts";
import { moments } from "../distributions/moments.ts";
import type { Interval } from "../distributions/quantile.ts";
import { studentQuantile } from "../distributions/student.ts";
import { fewestItems } from "../intervals/itemInterval.ts";
import { newcombe, type Proportion } from "../intervals/proportions.ts";

/** A solve rate, as much as is known of it without looking at items. */
export interface ScoreAlone {
  readonly score: number;
  /** Rollouts with a known outcome, and further ones. */
  readonly n: number;
  readonly unknown: number;
  /** How many items they are of; null where nobody says. */
  readonly items: number | null;
  /** How many independent trials the rollouts are worth at least; null where nobody can say. */
  readonly fewest: number | null;
  /** The score of each seed; empty where they are not told apart. */
  readonly bySeed: readonly number[];
  /** Training runs behind it; null where nobody says. */
  readonly seeds: number | null;
}

/** Why there is no verdict, although the difference is larger than the sampling of single rollouts explains. */
export type Withheld =
  | "items_differ"
  | "items_not_told"
  | "few_items"
  | "items_may_agree"
  | "seeds_differ"
  | "unknown_matter";

export interface ScoreDifference {
  readonly difference: number;
  readonly verdict: VerdictWord;
  readonly withheld: Withheld | null;
  /** As if every rollout were an independent trial: the truth is no more certain than that. */
  readonly narrow: Interval;
  /** As if the rollouts of an item all ended alike, or as they agree where that is known; null without a number of items. */
  readonly wide: Interval | null;
  /** Over the seeds of both versions; null where either has fewer than two that are told apart. */
  readonly overSeeds: Interval | null;
  /** The interval that decides, if unknown outcomes are counted either way; null without any. */
  readonly outer: Interval | null;
}

/**
 * b − a of two solve rates as independent samples (Newcombe 1998): which items they share is not known, so nothing is
 * paired. A verdict needs an interval that holds however much the rollouts of an item agree.
 */
export function compareScores(a: ScoreAlone, b: ScoreAlone, confidence = 0.95): ScoreDifference {
  const narrow = newcombe(trials(a, a.n), trials(b, b.n), confidence);
  const wide =
    a.fewest === null || b.fewest === null
      ? null
      : newcombe(trials(a, a.fewest), trials(b, b.fewest), confidence);
  const overSeeds = welch(a.bySeed, b.bySeed, confidence);
  const outer = a.unknown + b.unknown === 0 ? null : outerOf(a, b, confidence);
  const difference = b.score - a.score;
  const found = { difference, narrow, wide, overSeeds, outer };
  if (hasZero(narrow)) return { ...found, verdict: "inside_noise", withheld: null };
  const withheld = whyWithheld({ a, b }, found);
  const verdict = withheld !== null ? "withheld" : difference > 0 ? "improved" : "regressed";
  return { ...found, verdict, withheld };
}

const trials = ({ score }: ScoreAlone, size: number): Proportion => ({ share: score, size });
const hasZero = ({ low, high }: Interval): boolean => low <= 0 && high >= 0;

function whyWithheld(
  { a, b }: { readonly a: ScoreAlone; readonly b: ScoreAlone },
  { wide, overSeeds, outer }: Pick<ScoreDifference, "wide" | "overSeeds" | "outer">,
): Withheld | null {
  if (a.items !== null && b.items !== null && a.items !== b.items) return "items_differ";
  if (wide === null) return "items_not_told";
  if (Math.min(a.items ?? 0, b.items ?? 0) < fewestItems) return "few_items";
  if (hasZero(wide)) return "items_may_agree";
  if (overSeeds !== null && hasZero(overSeeds)) return "seeds_differ";
  if (outer !== null && hasZero(outer)) return "unknown_matter";
  return null;
}

/** From all unknown outcomes counted against b to all of them for it, with the sampling error at both ends. */
function outerOf(a: ScoreAlone, b: ScoreAlone, confidence: number): Interval {
  const counted = (of: ScoreAlone, passes: boolean): Proportion => {
    const all = of.n + of.unknown;
    return {
      share: (of.score * of.n + (passes ? of.unknown : 0)) / all,
      size: Math.min(all, of.fewest ?? all),
    };
  };
  return {
    low: newcombe(counted(a, true), counted(b, false), confidence).low,
    high: newcombe(counted(a, false), counted(b, true), confidence).high,
  };
}

/** Of the means of two samples with different spread (Welch 1947). */
function welch(a: readonly number[], b: readonly number[], confidence: number): Interval | null {
  if (a.length < 2 || b.length < 2) return null;
  const [ofA, ofB] = [moments(a), moments(b)];
  const [inA, inB] = [ofA.variance / ofA.n, ofB.variance / ofB.n];
  const d = ofB.mean - ofA.mean;
  if (inA + inB === 0) return { low: d, high: d };
  const degrees = (inA + inB) ** 2 / (inA ** 2 / (ofA.n - 1) + inB ** 2 / (ofB.n - 1));
  const half = studentQuantile(1 - (1 - confidence) / 2, degrees) * Math.sqrt(inA + inB);
  return { low: d - half, high: d + half };
}
