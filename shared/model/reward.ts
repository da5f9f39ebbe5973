import type { RewardComponent, RewardSpec } from "../spec/reward.ts";

/** Value of one term's shape at x in [0, 1] (domain.md §6: flat 0/.3/.5/1 of v1, binary 0/.1/1 of v4). */
export function shapeReward(shape: RewardComponent["shape"], x: number): number {
  switch (shape) {
    case "linear":
      return x;
    case "flat":
      return x <= 0 ? 0 : x < 0.5 ? 0.3 : x < 1 ? 0.5 : 1;
    case "binary":
      return x <= 0 ? 0 : x < 1 ? 0.1 : 1;
  }
}

/**
 * The shaped reward of one rollout from its raw components. Trainer and backtest both call this, so that a replayed
 * reward is the reward that training would have seen. A component that the rollout lacks counts as 0.
 */
export function composeReward(
  spec: Pick<RewardSpec, "components">,
  components: Readonly<Record<string, number>>,
): number {
  let total = 0;
  for (const [name, term] of Object.entries(spec.components)) {
    if (term.weight === 0) continue;
    total += term.weight * shapeReward(term.shape, components[term.signal ?? name] ?? 0);
  }
  return total;
}
