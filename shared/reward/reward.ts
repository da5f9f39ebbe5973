import type { RewardComponent, RewardSpec } from "../spec/reward.ts";

/** What a reward is composed of. */
export type RewardTerms = Pick<RewardSpec, "components">;

/** Value of one term's shape at x in [0, 1] (flat: 0, 0.3, 0.5, 1; binary: 0, 0.1, 1). */
function shapeReward(shape: RewardComponent["shape"], x: number): number {
  switch (shape) {
    case "linear":
      return x;
    case "flat":
      return x <= 0 ? 0 : x < 0.5 ? 0.3 : x < 1 ? 0.5 : 1;
    case "binary":
      return x <= 0 ? 0 : x < 1 ? 0.1 : 1;
  }
}

/** The terms that count, each with the name of the signal that it reads; a weight of 0 switches a term off. */
export function activeTerms(
  spec: RewardTerms,
): { readonly name: string; readonly signal: string; readonly term: RewardComponent }[] {
  return Object.entries(spec.components)
    .filter(([, term]) => term.weight !== 0)
    .map(([name, term]) => ({ name, signal: term.signal ?? name, term }));
}

/** What a term adds to the reward of a rollout whose signal is x; NaN without one. */
export function termFunction({ weight, shape, above }: RewardComponent): (x: number) => number {
  if (shape === "linear" && above === undefined) return (x) => weight * x;
  const from = above ?? 0;
  if (shape === "linear") return (x) => weight * Math.max(0, x - from);
  return (x) =>
    Number.isNaN(x) ? NaN : weight * shapeReward(shape, above === undefined ? x : Math.max(0, x - from));
}

/**
 * The shaped reward of one rollout from its raw signals. Trainer and backtest both reckon with this, so that a replayed
 * reward is the reward that training would have seen. A signal that the rollout lacks counts as 0 for a trainer; a
 * backtest leaves such a rollout out.
 */
export function composeReward(spec: RewardTerms, signals: Readonly<Record<string, number>>): number {
  let total = 0;
  for (const { signal, term } of activeTerms(spec)) total += termFunction(term)(signals[signal] ?? 0);
  return total;
}
