import { seededRandom } from "../../base/random.ts";
import { addAllPairs, tauB, type PairCounts } from "../../backtest/kendall.ts";
import { quantileSorted } from "../../statistics/distributions/quantile.ts";
import type { ExamMoment } from "./examDraft.ts";

/** A moment with what the proposer expected of each draft: the more the better; equal numbers are ties. */
export interface AnsweredMoment {
  readonly moment: ExamMoment;
  readonly expected: readonly number[];
}

/** What counts of it: what each draft did, and what was expected of it. */
export interface AnsweredDrafts {
  readonly moment: { readonly drafts: readonly { readonly effect: number }[] };
  readonly expected: readonly number[];
}

/** A figure with the interval of a bootstrap over moments at 95 %; without one where there are fewer than three. */
export interface ExamFigure {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

export interface ExamResult {
  readonly moments: number;
  readonly drafts: number;
  /** How often the draft that it expected most of was the best one, in [0, 1]; of ties each counts for its part. */
  readonly hitRate: ExamFigure;
  /** How often one at random would have been. */
  readonly byChance: number;
  /** Hit rate less chance. */
  readonly above: ExamFigure;
  /** Kendall's tau-b of expected against measured within moments, in [-1, 1]; null where all are ties. Chance is 0. */
  readonly tau: ExamFigure | null;
}

const fewestMoments = 3;
const resamples = 2000;

/** How well an order fits what was measured, against chance. Deterministic. */
export function examResult(answered: readonly AnsweredDrafts[]): ExamResult {
  const each = answered.map(momentScore);
  const hits = (chosen: readonly MomentScore[]): number => mean(chosen.map(({ hit }) => hit));
  const chance = (chosen: readonly MomentScore[]): number => mean(chosen.map((one) => one.chance));
  const tau = (chosen: readonly MomentScore[]): number | null => tauB(pooled(chosen));
  const draws = each.length < fewestMoments ? [] : drawn(each);
  const value = tau(each);
  return {
    moments: each.length,
    drafts: answered.reduce((n, { moment }) => n + moment.drafts.length, 0),
    hitRate: figure(hits(each), draws.map(hits)),
    byChance: chance(each),
    above: figure(
      hits(each) - chance(each),
      draws.map((chosen) => hits(chosen) - chance(chosen)),
    ),
    tau:
      value === null
        ? null
        : figure(
            value,
            draws.flatMap((chosen) => tau(chosen) ?? []),
          ),
  };
}

interface MomentScore {
  readonly hit: number;
  readonly chance: number;
  readonly pairs: PairCounts;
}

function momentScore({ moment: { drafts }, expected }: AnsweredDrafts): MomentScore {
  const effects = drafts.map(({ effect }) => effect);
  const [most, best] = [Math.max(...expected), Math.max(...effects)];
  const first = effects.filter((_, i) => expected[i] === most);
  const pairs: PairCounts = { pairs: 0, balance: 0, tiedX: 0, tiedY: 0 };
  // By rank, because an invalid one is minus infinity.
  addAllPairs(pairs, ranks(expected), ranks(effects), 0, drafts.length);
  return {
    hit: first.filter((effect) => effect === best).length / first.length,
    chance: effects.filter((effect) => effect === best).length / effects.length,
    pairs,
  };
}

function ranks(values: readonly number[]): Float64Array {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  return Float64Array.from(values, (value) => sorted.indexOf(value));
}

function pooled(scores: readonly MomentScore[]): PairCounts {
  const all: PairCounts = { pairs: 0, balance: 0, tiedX: 0, tiedY: 0 };
  for (const { pairs } of scores) {
    all.pairs += pairs.pairs;
    all.balance += pairs.balance;
    all.tiedX += pairs.tiedX;
    all.tiedY += pairs.tiedY;
  }
  return all;
}

function drawn(each: readonly MomentScore[]): MomentScore[][] {
  const random = seededRandom(1);
  return Array.from({ length: resamples }, () =>
    each.flatMap(() => each[Math.floor(random() * each.length)] ?? []),
  );
}

function figure(value: number, draws: readonly number[]): ExamFigure {
  if (draws.length === 0) return { value, low: null, high: null };
  const sorted = draws.toSorted((a, b) => a - b);
  return { value, low: quantileSorted(sorted, 0.025), high: quantileSorted(sorted, 0.975) };
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
