import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";
import { wilson } from "../../statistics/intervals/proportions.ts";
import type { Interval } from "../../statistics/distributions/quantile.ts";

/** How far a judge's labels are those of people, over the rollouts that both decided. */
export interface Agreement {
  readonly rollouts: number;
  readonly bothLabelled: number;
  readonly onlyJudge: number;
  readonly onlyHuman: number;
  readonly neither: number;
  /** Share on which they agree, with its 95 % interval; null without a rollout. */
  readonly share: (Interval & { readonly value: number }) | null;
  /** Cohen's kappa: 1 is agreement, 0 what chance would give; null where one side gives a single answer to all. */
  readonly kappa: (Interval & { readonly value: number }) | null;
  /** Whether the rollouts are too few for kappa to say anything. */
  readonly tooFew: boolean;
}

/** Fewer rollouts than these, in all and of either answer of people, say nothing of a judge. */
export const fewestPairs = { all: 30, each: 5 } as const;

/** Compares a judge with people (Cohen 1960; the interval of kappa is that of Fleiss, Cohen and Everitt 1969). Pairs in which either cannot tell take no part. */
export function agreementOf(
  pairs: readonly { readonly judge: boolean | null; readonly human: boolean | null }[],
): Agreement {
  const decided = pairs.filter(({ judge, human }) => judge !== null && human !== null);
  const count = (judge: boolean, human: boolean): number =>
    decided.filter((pair) => pair.judge === judge && pair.human === human).length;
  const [both, onlyJudge, onlyHuman, neither] = [
    count(true, true),
    count(true, false),
    count(false, true),
    count(false, false),
  ];
  const n = decided.length;
  const agreed = (both + neither) / n;
  const byChance =
    ((both + onlyJudge) * (both + onlyHuman) + (neither + onlyHuman) * (neither + onlyJudge)) / (n * n);
  const kappa = (agreed - byChance) / (1 - byChance);
  const half = normalQuantile(0.975) * kappaError({ both, onlyJudge, onlyHuman, neither }, kappa, byChance);
  return {
    rollouts: n,
    bothLabelled: both,
    onlyJudge,
    onlyHuman,
    neither,
    share: n === 0 ? null : { value: agreed, ...wilson({ share: agreed, size: n }) },
    kappa:
      n === 0 || [both + onlyJudge, both + onlyHuman].some((labelled) => labelled === 0 || labelled === n)
        ? null
        : { value: kappa, low: Math.max(-1, kappa - half), high: Math.min(1, kappa + half) },
    tooFew: n < fewestPairs.all || Math.min(both + onlyHuman, onlyJudge + neither) < fewestPairs.each,
  };
}

interface Table {
  readonly both: number;
  readonly onlyJudge: number;
  readonly onlyHuman: number;
  readonly neither: number;
}

/** The large-sample standard error of kappa (Fleiss, Cohen and Everitt 1969, equation 13). */
function kappaError({ both, onlyJudge, onlyHuman, neither }: Table, kappa: number, byChance: number): number {
  const n = both + onlyJudge + onlyHuman + neither;
  const judge = [(both + onlyJudge) / n, (onlyHuman + neither) / n] as const;
  const human = [(both + onlyHuman) / n, (onlyJudge + neither) / n] as const;
  const diagonal = (
    [
      [both, judge[0] + human[0]],
      [neither, judge[1] + human[1]],
    ] as const
  )
    .map(([count, margins]) => (count / n) * (1 - margins * (1 - kappa)) ** 2)
    .reduce((a, b) => a + b);
  // A pair apart weighs with the margins of the two answers, each of the other side.
  const apart = (
    [
      [onlyJudge, human[0] + judge[1]],
      [onlyHuman, human[1] + judge[0]],
    ] as const
  )
    .map(([count, margins]) => (count / n) * margins ** 2)
    .reduce((a, b) => a + b);
  const variance = diagonal + (1 - kappa) ** 2 * apart - (kappa - byChance * (1 - kappa)) ** 2;
  return Math.sqrt(Math.max(0, variance) / n) / (1 - byChance);
}
