import * as z from "zod";
import type { ShownRollout } from "../../../shared/protocol/views/rollout.ts";

const PerStep = z.array(z.number().nullable());

/**
 * Rewards by turn, where the evidence has them: extra.step_rewards, one for each turn, or one for each turn of the policy. A list of
 * another length says of no turn what it earned.
 */
export function turnRewards({
  extra,
  turns,
}: Pick<ShownRollout["rollout"], "extra" | "turns">): ReadonlyMap<number, number> {
  const rewards = PerStep.safeParse(extra["step_rewards"]).data ?? [];
  const own = turns.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  const places =
    rewards.length === turns.length ? turns.map((_, i) => i) : rewards.length === own.length ? own : [];
  return new Map(
    places.flatMap((turn, i) => {
      const reward = rewards[i];
      return reward === null || reward === undefined ? [] : [[turn, reward] as const];
    }),
  );
}
