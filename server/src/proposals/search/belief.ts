import { partsOf, type Case, type CasePart } from "../../memory/cases/case.ts";
import { normalCdf } from "../../statistics/distributions/normal.ts";
import { likeness } from "./likeness.ts";

/** What a change is expected to do to the score, in [-1, 1], and what that is taken from. */
export interface Belief {
  readonly mean: number;
  readonly sd: number;
  /** The cases that count most for it, the first the most. */
  readonly from: readonly {
    readonly version: string;
    readonly difference: number;
    readonly weight: number;
  }[];
  /** How many cases were measured at all. */
  readonly cases: number;
}

/** A change as beliefs are about it. */
export interface BelievedChange {
  /** What it changes, apart for each reason; the last one is new, the others were tried before. */
  readonly parts: readonly CasePart[];
  readonly triggers: readonly string[];
  /** What the author of the new part and the archive say; each counts like one case with a wide error. */
  readonly declared: number | null;
  /** Of what cannot be replayed: what a replay would say on average; null where nothing was replayed. */
  readonly backtest: number | null;
  /** How those passed that a new term of the reward pays most, in [-1, 1]; null or left out where no term is new. */
  readonly passing?: number | null;
}

/**
 * How the spread of effects is divided: what all changes have in common, those of one factor, those that answer the same
 * finding, and those of the same places. Guesses, which few cases can tell apart; the sum is estimated.
 */
const shares = { all: 0.15, factor: 0.2, trigger: 0.1, near: 0.55 } as const;
/** Effects are taken to spread by 5 points until as many cases say otherwise. */
const [spreadBefore, countsFor] = [0.05, 4] as const;
const leastSpread = 0.01;
/** More cases than these make each belief slow, and the latest are of the policies that are trained now. */
const mostCases = 300;
const mostNamed = 3;

type Measured = Case & { readonly effect: NonNullable<Case["effect"]> };

/**
 * Beliefs by empirical Bayes: effects are normal around 0 with the spread that the cases of the factor show, and changes that
 * share their factor, their finding or their place share a part of it. So what is known of few cases is drawn towards what is known of
 * the factor and of all, and a rejected sibling counts against its neighbours. What is made of several parts is expected to
 * do what they do together. Pure.
 */
export function beliefsFrom(cases: readonly Case[]): (change: BelievedChange) => Belief {
  const measured = withoutDepths(cases.filter((one): one is Measured => one.effect !== null))
    .slice(-mostCases)
    .map((one) => ({ ...one, parts: partsOf(one) }));
  const { variance, ofFactor } = spreadsOf(measured);
  const covariance = (a: BelievedOf, b: BelievedOf): number => shared(a, b, { variance, ofFactor });
  const errors = measured.map(({ effect }) => effect.error ** 2);
  const factorised = cholesky(
    measured.map((a, i) =>
      measured.map((b, j) => covariance(a, b) + (i === j ? (errors[i] ?? 0) + 1e-9 : 0)),
    ),
  );
  const effects = measured.map(({ effect }) => effect.difference);
  const weights = solve(factorised, effects);
  // What the cases leave open of two changes together.
  const leftOf = (a: BelievedOf, b: BelievedOf, ofA: readonly number[]): number =>
    covariance(a, b) -
    dot(
      measured.map((one) => covariance(b, one)),
      ofA,
    );
  return (change) => {
    const near = measured.map((one) => covariance(change, one));
    const solved = solve(factorised, near);
    const usual = ofFactor(change.parts.at(-1)?.factor ?? null);
    // One pseudo-case each: as uncertain as a case whose error is as wide as all effects spread.
    const told = [
      // Who expects nothing claims 0: a modest claim must not count for less than none.
      change.declared ?? 0,
      (change.backtest ?? 0) * Math.sqrt(usual),
      ...(typeof change.passing === "number" ? [change.passing * Math.sqrt(usual)] : []),
    ];
    // What is said is said of the new part; it moves the whole by as much as the two vary together.
    const own = { ...change, parts: change.parts.slice(-1) };
    const ownNear = measured.map((one) => covariance(own, one));
    const ownVariance = Math.max(leftOf(own, own, solve(factorised, ownNear)), usual * 1e-3);
    const both = change.parts.length === 1 ? ownVariance : leftOf(change, own, solved);
    const gain = both / (ownVariance + (2 * usual) / told.length);
    const said = told.reduce((sum, one) => sum + one, 0) / told.length;
    const believed = {
      mean: dot(near, weights) + gain * (said - dot(ownNear, weights)),
      variance: Math.max(leftOf(change, change, solved) - gain * both, usual * 1e-3),
    };
    const from = measured
      .map(({ version, effect }, i) => ({
        ...{ version, difference: effect.difference },
        weight: solved[i] ?? 0,
      }))
      .filter(({ weight }) => Math.abs(weight) >= 0.02)
      .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
      .slice(0, mostNamed);
    return { mean: believed.mean, sd: Math.sqrt(believed.variance), from, cases: measured.length };
  };
}

type BelievedOf = Pick<BelievedChange, "triggers" | "parts">;

interface Spreads {
  /** Of the effects of all changes. */
  readonly variance: number;
  readonly ofFactor: (factor: CasePart["factor"]) => number;
}

/** How much two changes vary together: the spread of their factor for the same single change; parts add up. */
function shared(a: BelievedOf, b: BelievedOf, { variance, ofFactor }: Spreads): number {
  const sameTrigger = a.triggers.some((trigger) => b.triggers.includes(trigger));
  let sum = sameTrigger ? shares.trigger * variance : 0;
  for (const one of a.parts)
    for (const other of b.parts)
      sum += Math.sqrt(ofFactor(one.factor) * ofFactor(other.factor)) * alikeParts(one, other);
  return sum;
}

function alikeParts(a: CasePart, b: CasePart): number {
  const sameFactor = a.factor !== null && a.factor === b.factor;
  const near =
    a.edits.length === 0 || b.edits.length === 0
      ? // Of an earlier release the ledger has the name alone.
        Number(a.template !== null && a.template === b.template)
      : likeness(a.edits, b.edits);
  return shares.all + (sameFactor ? shares.factor : 0) + shares.near * near;
}

/**
 * The cases with no effect that is further below 0 than any is above it, or than usual: a change that ruined the policy shows
 * that it was bad, and not that other changes might be that much better.
 */
function withoutDepths(cases: readonly Measured[]): Measured[] {
  const lowest = -Math.max(spreadBefore, ...cases.map(({ effect }) => effect.difference));
  return cases.map((one) => ({
    ...one,
    effect: { ...one.effect, difference: Math.max(one.effect.difference, lowest) },
  }));
}

type OfParts = Measured & { readonly parts: readonly CasePart[] };

/** The spread of true effects, of all cases and of those of one factor, which is drawn to that of all where they are few. */
function spreadsOf(measured: readonly OfParts[]): Spreads {
  const variance = spreadOf(measured, spreadBefore ** 2);
  const by = new Map<CasePart["factor"], number>();
  return {
    variance,
    ofFactor: (factor) => {
      const known = by.get(factor);
      if (known !== undefined) return known;
      const own = measured.filter(({ parts }) => parts.at(-1)?.factor === factor);
      const found = spreadOf(own, variance);
      by.set(factor, found);
      return found;
    },
  };
}

/** What the measured effects vary more than their errors, drawn to a guess where they are few. */
function spreadOf(measured: readonly OfParts[], guess: number): number {
  // What has several parts may do as much as all of them.
  const beyond = measured.reduce(
    (sum, { effect, parts }) => sum + (effect.difference ** 2 - effect.error ** 2) / parts.length,
    0,
  );
  return Math.max((countsFor * guess + beyond) / (countsFor + measured.length), leastSpread ** 2);
}

/** The lower triangle L with L·Lᵀ = matrix, row by row. */
function cholesky(matrix: readonly (readonly number[])[]): number[][] {
  const lower: number[][] = [];
  matrix.forEach((row, i) => {
    const own: number[] = [];
    for (let j = 0; j <= i; j++) {
      const other = j === i ? own : (lower[j] ?? []);
      let sum = row[j] ?? 0;
      for (let k = 0; k < j; k++) sum -= (own[k] ?? 0) * (other[k] ?? 0);
      own.push(j === i ? Math.sqrt(Math.max(sum, 1e-12)) : sum / (other[j] ?? 1));
    }
    lower.push(own);
  });
  return lower;
}

/** x with L·Lᵀ·x = values. */
function solve(lower: readonly (readonly number[])[], values: readonly number[]): number[] {
  const n = lower.length;
  const x = new Array<number>(n).fill(0);
  for (let i = 0; i < n; i++) {
    let sum = values[i] ?? 0;
    for (let k = 0; k < i; k++) sum -= (lower[i]?.[k] ?? 0) * (x[k] ?? 0);
    x[i] = sum / (lower[i]?.[i] ?? 1);
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = x[i] ?? 0;
    for (let k = i + 1; k < n; k++) sum -= (lower[k]?.[i] ?? 0) * (x[k] ?? 0);
    x[i] = sum / (lower[i]?.[i] ?? 1);
  }
  return x;
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

/** The mean of what is above 0 of a normal belief: what trying it is worth, since what is worse is not kept. */
export function expectedImprovement({ mean, sd }: Pick<Belief, "mean" | "sd">): number {
  const z = mean / sd;
  return mean * normalCdf(z) + (sd * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}
