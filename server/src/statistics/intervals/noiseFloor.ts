import { chiSquareQuantile } from "../distributions/gamma.ts";
import { moments } from "../distributions/moments.ts";
import { known, refuse, type Answer } from "./refusal.ts";
import { studentQuantile } from "../distributions/student.ts";

export interface NoiseFloor {
  readonly runs: number;
  readonly mean: number;
  /** Standard deviation between runs, and its upper confidence limit: few runs leave it very uncertain. */
  readonly sd: number;
  readonly sdHigh: number;
  /** The smallest difference between one run of each of two versions that this noise does not explain. */
  readonly difference: number;
  readonly confidence: number;
}

/**
 * Noise floor from the scores of repeated runs of one version (its seeds): sd with n − 1, its limit from the chi-square
 * distribution, and t · sd · √2 for the difference of two single runs.
 */
export function noiseFloor(scores: readonly number[], confidence = 0.95): Answer<NoiseFloor> {
  if (scores.length === 0) return refuse("nothing_measured", "No run of this version has a score.");
  if (scores.length === 1)
    return refuse(
      "one_run",
      "One run of this version: its noise is not known; run it again with another seed.",
    );
  const { n, mean, variance } = moments(scores);
  if (variance === 0)
    return refuse(
      "no_spread",
      `All ${n} runs score the same; check that their seeds differ and that they are not copies.`,
    );
  const sd = Math.sqrt(variance);
  return known({
    runs: n,
    mean,
    sd,
    sdHigh: sd * Math.sqrt((n - 1) / chiSquareQuantile(1 - confidence, n - 1)),
    difference: studentQuantile(1 - (1 - confidence) / 2, n - 1) * sd * Math.SQRT2,
    confidence,
  });
}
