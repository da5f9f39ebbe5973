import type { Comparison } from "../../../../shared/ledger/measures.ts";
import type { ItemMetric, ItemOutcomes } from "../../statistics/scores/outcomes.ts";

// What the functions of this folder take and answer. Scores and differences are in [0, 1]; a difference is candidate −
// parent. Outcomes are those of the selection split, with `bySeed`; a version's outcomes hold all of its seeds so far.

/** A version and what was measured of it. */
export interface Tested {
  readonly name: string;
  readonly outcomes: readonly ItemOutcomes[];
}

/** What a project's `testing` block, its metric and its budgets say; see `testingRules`. */
export interface TestingRules {
  readonly metric: ItemMetric;
  /** The share of kept versions that may be no better than their parent, over a whole evolution; e.g. 0.05. */
  readonly errorRate: number;
  /** How many seeds of a version are trained at most, e.g. 3. */
  readonly seeds: number;
  /** How many candidates the evolution may test: its generations × candidates of each, or what it may train. */
  readonly candidates: number;
  /** A difference below this does not matter: what an edit that is not needed may be worth at most. */
  readonly margin: number;
}

/** How much the score of one training run differs from that of another one of the same version. */
export interface SeedNoise {
  /** Standard deviation of the score of one seed: the training's part and the evaluation's part together. */
  readonly sd: number;
  /** Degrees of freedom of sd, Σ (seeds − 1) over the versions; 0 where no version has two seeds (then sd is 0). */
  readonly degrees: number;
  /** The part of sd that samples explain, and how differently a seed treats items: it falls with more items. */
  readonly evaluationSd: number;
  readonly evaluationDegrees: number;
  /** What is left of it: how much training with another seed moves the score. 0 where evaluation explains all. */
  readonly trainingSd: number;
  /** Upper 95 % limit of sd: few seeds leave it very uncertain. Null without degrees. */
  readonly sdHigh: number | null;
  /** How many versions with two seeds or more went in. */
  readonly versions: number;
}

/** What a candidate may spend of the error rate; `errorSpending.ts` says how. The place is kept with the candidate. */
export interface PlaceInEvolution {
  /** The candidate's number in this evolution, from 1, in the order in which first seeds were started. */
  readonly place: number;
  /** How many candidates of this evolution had been kept when this one's first seed was started. */
  readonly keptBefore: number;
}

export interface ScreenInput {
  /** With one seed. */
  readonly candidate: Tested;
  /** With one seed or more. */
  readonly parent: Tested;
  readonly noise: SeedNoise;
  readonly rules: TestingRules;
}

export interface Screened {
  /** screened: train it on further seeds. reject: it does not look better on its first seed. */
  readonly verdict: "screened" | "reject";
  /** Null where no item has a known outcome in both. */
  readonly comparison: Comparison | null;
  /** One sentence for a person. */
  readonly reason: string;
}

export interface ReplicateInput extends PlaceInEvolution {
  /** With two seeds or more, the first one included. */
  readonly candidate: Tested;
  readonly parent: Tested;
  /** Pooled over all versions so far, these two included. */
  readonly noise: SeedNoise;
  readonly rules: TestingRules;
  /** How often `replicate` has looked at this candidate before, and how often it will at most (seeds − 1). */
  readonly looksDone: number;
  readonly looksAtMost: number;
}

export interface Replicated {
  /** another_seed is answered only while looks are left. */
  readonly verdict: "keep" | "reject" | "another_seed";
  /** At the confidence of this look, so that an interval above zero and keep are the same; null without pairs. */
  readonly comparison: Comparison | null;
  /** One sentence for a person. */
  readonly reason: string;
  /** Seeds of each version that would tell a difference of the measured size; null where no number would. */
  readonly seedsNeeded: number | null;
  /** Who should get the next seed, if the verdict is another_seed: whichever has fewer, or both. */
  readonly next: readonly ("candidate" | "parent")[];
  /** The chance that a candidate that is no better is kept at this look, and the p value that was compared with it. */
  readonly level: number;
  readonly p: number;
}

/** What racing has spent on one candidate; `noRace` to begin with. */
export interface RaceSpent {
  readonly looks: number;
  /** The chance of a false stop that the looks so far have used up. */
  readonly chance: number;
}

export interface RaceInput {
  /** Both at the same training step, one seed of the candidate, the parent's seeds that were evaluated there. */
  readonly candidate: Tested;
  readonly parent: Tested;
  readonly step: number;
  /** How many checkpoints of a training will be compared at most, this one included. */
  readonly checkpoints: number;
  readonly noise: SeedNoise;
  readonly rules: TestingRules;
  readonly spent: RaceSpent;
}

export interface Race {
  readonly stop: boolean;
  /** The step at which it was stopped; null while it goes on. */
  readonly atStep: number | null;
  readonly comparison: Comparison | null;
  readonly reason: string;
  readonly spent: RaceSpent;
}

export interface EquivalenceInput {
  /** The version with the edit, and the same one with the edit left out. */
  readonly with: Tested;
  readonly without: Tested;
  readonly noise: SeedNoise;
  readonly metric: ItemMetric;
  readonly margin: number;
  /** Of each of the two one-sided tests, e.g. 0.95. */
  readonly confidence: number;
}

export interface Equivalence {
  /**
   * not_needed: leaving it out costs less than the margin (two one-sided tests, or it even does harm). needed: the edit is
   * worth something, and it may be more than the margin. cannot_tell: too few seeds or items.
   */
  readonly verdict: "not_needed" | "needed" | "cannot_tell";
  /** with − without, at the confidence of the two tests together (90 % for two of 95 %). */
  readonly comparison: Comparison | null;
  /** Seeds of each that would tell; null where no number would. */
  readonly seedsNeeded: number | null;
  readonly reason: string;
}

export interface WearInput {
  /** Every comparison on the selection split that was looked at, decided ones and screens alike. */
  readonly comparisons: readonly Pick<Comparison, "difference" | "low" | "high" | "confidence">[];
  /** The gain that is claimed for the best version; null where nothing was kept. */
  readonly gain: number | null;
  readonly margin: number;
}

export interface Wear {
  readonly looks: number;
  /** By how much the best of that many seems better than it is, if all were equally good. */
  readonly expectedOptimism: number;
  readonly freshDrawDue: boolean;
  readonly sentence: string;
}

export interface CalibrateInput {
  /** With two seeds or more. */
  readonly baseline: Tested;
  /** The same policy (one seed of the baseline), evaluated twice; null where it was not. */
  readonly again: { readonly first: Tested["outcomes"]; readonly second: Tested["outcomes"] } | null;
  readonly rules: TestingRules;
  /** Wall time of training and evaluating one seed; null where it is not known. */
  readonly secondsPerSeed: number | null;
  /** The success that the project's proposals ask for, e.g. 0.02; null where they claim nothing. */
  readonly atLeast: number | null;
}

export interface Calibration {
  readonly noise: SeedNoise;
  /** Standard deviation of a score when the same policy is evaluated again; from `again`, otherwise from the samples. */
  readonly evaluationSd: number;
  readonly items: number;
  /** The smallest difference that is found in 80 of 100 cases with rules.seeds of each version; null without two seeds. */
  readonly resolvable: number | null;
  /** What would tell a difference of `atLeast`: seeds with these items, items with these seeds; null where none would. */
  readonly needed: { readonly seeds: number | null; readonly items: number | null } | null;
  /** What an evolution of rules.candidates costs at most and in the usual case (most are rejected by their first seed). */
  readonly cost: {
    readonly trainings: { readonly usual: number; readonly most: number };
    readonly seconds: { readonly usual: number; readonly most: number } | null;
  };
  /** What a person reads before money is spent, in order. */
  readonly sentences: readonly string[];
}

// The functions that the loop is given, so that a test of the loop may answer in their place.

/** `seedNoise.ts`: pooled over all versions of an evolution with at least two seeds; the others are left out. */
export type SeedNoiseOf = (versions: readonly Tested[], metric: ItemMetric) => SeedNoise;
/** `screen.ts`: after a candidate's first seed. It never keeps. */
export type Screen = (input: ScreenInput) => Screened;
/** `replicate.ts`: after every further seed of a screened candidate (or of its parent). */
export type Replicate = (input: ReplicateInput) => Replicated;
/** `calibrate.ts`: before the first generation. */
export type Calibrate = (input: CalibrateInput) => Calibration;
