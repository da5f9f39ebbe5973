import { binomialCdf } from "../../../server/src/statistics/distributions/exactBinomial.ts";
import type { CellResult } from "../result.ts";
import { margin } from "./summary.ts";

/** When a random search had its best version, and when EvoTrainer had one that scored as much. */
export interface Reach {
  readonly domain: string;
  readonly seed: number;
  /** Score on selection of the best version that the random search kept, of those that open no leak. */
  readonly score: number;
  /** Trainings until it was decided, those of the baseline among them. */
  readonly random: number;
  /** The same of the first version that EvoTrainer kept with at least this score; null where it kept none. */
  readonly evotrainer: number | null;
  /** The same within the margin of the plan: scores that differ by less match. */
  readonly near: number | null;
}

type Decision = CellResult["decisions"][number];

const isKept = ({ decision, score, leaks }: Decision): boolean =>
  decision === "keep" && score !== null && leaks.length === 0;

/** Trainings until a search had kept a version with at least a score, of those that open no leak; null where it never had. */
export const trainingsUntil = ({ decisions }: Pick<CellResult, "decisions">, least: number): number | null =>
  decisions.find((one) => isKept(one) && (one.score ?? 0) >= least)?.trainings ?? null;

const best = (decisions: readonly Decision[]): Decision | undefined =>
  decisions.filter(isKept).toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0))[0];

/** One for each domain and seed in which both searches ran; with `kept`, only where the random one kept a change of the baseline. */
export function reaches(results: readonly CellResult[], { kept }: { readonly kept: boolean }): Reach[] {
  return results
    .filter(({ arm }) => arm === "random")
    .toSorted((a, b) => (a.domain === b.domain ? a.seed - b.seed : a.domain < b.domain ? -1 : 1))
    .flatMap(({ domain, seed, decisions }) => {
      const own = results.find((r) => r.arm === "evotrainer" && r.domain === domain && r.seed === seed);
      const found = best(decisions);
      const score = found?.score ?? null;
      if (own === undefined || found === undefined || score === null) return [];
      if (kept && found.parent === "v0") return [];
      const [evotrainer, near] = [trainingsUntil(own, score), trainingsUntil(own, score - margin)];
      return [{ domain, seed, score, random: found.trainings, evotrainer, near }];
    });
}

/** The median of the shares of trainings, where a search that never got there needed infinitely many; null without any. */
export const medianShare = (all: readonly Pick<Reach, "random" | "evotrainer">[]): number | null =>
  median(all.map(({ random, evotrainer }) => (evotrainer ?? Infinity) / random));

/**
 * The narrowest interval between two of the values, equally far from both ends, that holds the median of the population with
 * at least 95 %, or all the values where they are too few (by the sign test; Conover 1999, §3.2).
 */
export function medianInterval(values: readonly number[]): {
  readonly low: number;
  readonly high: number;
  readonly confidence: number;
} {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  // How many values lie below the median is as many heads as n coins show.
  const atMost = (k: number): number => binomialCdf(k, n, 0.5);
  let out = 0;
  while (2 * atMost(out + 1) <= 0.05) out++;
  return {
    low: sorted[out] ?? Infinity,
    high: sorted[n - 1 - out] ?? Infinity,
    confidence: 1 - 2 * atMost(out),
  };
}

/** The middle of the values, or between the two in the middle; null without any. */
export function median(values: readonly number[]): number | null {
  const shares = values.toSorted((a, b) => a - b);
  const [low, high] = [shares[Math.floor((shares.length - 1) / 2)], shares[Math.floor(shares.length / 2)]];
  return low === undefined || high === undefined ? null : low === high ? low : (low + high) / 2;
}
