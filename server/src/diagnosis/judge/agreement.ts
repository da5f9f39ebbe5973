import { wilson } from "../../statistics/proportions.ts";
import type { Interval } from "../../statistics/quantile.ts";

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
  readonly kappa: number | null;
}

/** Compares a judge with people (Cohen 1960). Pairs in which either cannot tell take no part. */
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
  return {
    rollouts: n,
    bothLabelled: both,
    onlyJudge,
    onlyHuman,
    neither,
    share: n === 0 ? null : { value: agreed, ...wilson({ share: agreed, size: n }) },
    kappa: n === 0 || byChance === 1 ? null : (agreed - byChance) / (1 - byChance),
  };
}
