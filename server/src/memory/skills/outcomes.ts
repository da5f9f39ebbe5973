import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";
import type { SkillOutcome, SkillValidation } from "../../../../shared/spec/skill.ts";
import { poolEffects, type PooledEffect } from "../../statistics/intervals/randomEffects.ts";

/** A difference of scores as it was measured, with its 95 % interval. */
export interface Measured {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/** What a skill was expected to do before it was used. */
export interface Prediction {
  readonly direction: "increase" | "decrease";
  /** The smallest change that was promised. */
  readonly atLeast?: number | undefined;
  /** The 95 % interval of one use; null where nothing was measured before. */
  readonly expected: { readonly low: number; readonly high: number } | null;
  /** Whether more than one seed was trained: one alone confirms nothing. */
  readonly isReplicated: boolean;
}

const half = normalQuantile(0.975);

/** The same measurement with the interval that 95 % confidence gives it. */
export function at95({ difference, low, high }: Measured, confidence: number): Measured {
  const by = confidence > 0 && confidence < 1 ? half / normalQuantile((1 + confidence) / 2) : 1;
  return {
    difference,
    low: difference - (difference - low) * by,
    high: difference + (high - difference) * by,
  };
}

/**
 * What became of a use. confirmed: the score moved as it was said, by about as much, on more than one seed. refuted: it moved
 * the other way, or by less than what was expected at least. inside_noise: this cannot be told.
 */
export function outcomeOf(measured: Measured, prediction: Prediction): SkillOutcome {
  const { expected, direction, atLeast = 0, isReplicated } = prediction;
  const isUp = direction === "increase";
  const [low, high] = isUp ? [measured.low, measured.high] : [-measured.high, -measured.low];
  const least = expected === null ? atLeast : isUp ? expected.low : -expected.high;
  if (high <= 0 || high < least) return "refuted";
  return low > 0 && isReplicated ? "confirmed" : "inside_noise";
}

/**
 * What a skill is expected to do to its metric from the versions that it was tried in; null where none of them has an interval.
 */
export function expectedFrom(
  validations: readonly SkillValidation[],
  expectedOf: string,
): PooledEffect | null {
  const pooled = poolEffects(
    validations.flatMap(({ metric, change, low, high }) =>
      metric !== expectedOf || low === undefined || high === undefined || high < low
        ? []
        : [{ difference: change, error: (high - low) / (2 * half) }],
    ),
  );
  if (pooled === null || expectedOf !== "solve_rate") return pooled;
  return { ...pooled, mean: asShares(pooled.mean), next: asShares(pooled.next) };
}

/** Scores are shares, so that no difference of two is larger than 1. */
const asShares = ([low, high]: readonly [number, number]): [number, number] => [
  Math.max(-1, low),
  Math.min(1, high),
];

/** So many uses in a row that were refuted retire a skill; what was inside the noise counts for neither side. */
const refutedInARow = 2;

/** Why a skill is retired by what came of its uses, in a sentence; null where it is not. `validations` in their order. */
export function retiredBy(validations: readonly SkillValidation[]): string | null {
  const told = validations.filter(({ used, outcome }) => used === true && outcome !== "inside_noise");
  const last = told.slice(-refutedInARow);
  if (last.length < refutedInARow || last.some(({ outcome }) => outcome !== "refuted")) return null;
  return `Its last ${refutedInARow} uses with a clear outcome were refuted (${last.map(({ version }) => version).join(", ")}).`;
}

/** The domains in which a version confirmed it, sorted. */
export function confirmedIn(validations: readonly SkillValidation[]): string[] {
  const domains = validations.flatMap(({ domain, outcome }) => (outcome === "confirmed" ? [domain] : []));
  return [...new Set(domains)].sort();
}

/** Two domains make it a skill for all; until then it is one of the domain that it comes from. */
export const isShared = (domains: readonly string[]): boolean => domains.length > 1;
