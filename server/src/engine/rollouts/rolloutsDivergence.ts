import { readRollout } from "../../evidence/queries/readRollout.ts";
import { firstDivergence } from "../../statistics/comparison/divergence.ts";
import { defineService } from "../workspace/service.ts";

/** Where two rollouts part: the first action of the policy in which they differ; null where nothing does. */
export const rolloutsDivergence = defineService("rollouts.divergence", {
  repeatable: true,
  async run({ store }, { a, b }) {
    const [one, other] = [await readRollout(store, a), await readRollout(store, b)];
    return { divergence: firstDivergence(one.rollout.turns, other.rollout.turns) };
  },
});
