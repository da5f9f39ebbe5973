import { readRollout } from "../../evidence/readRollout.ts";
import { firstDivergence } from "../../statistics/divergence.ts";
import { defineService } from "./service.ts";

/** Where two rollouts part: the first action of the policy in which they differ; null where nothing does. */
export const rolloutsDivergence = defineService("rollouts.divergence", {
  repeatable: true,
  async run({ store }, { a, b }) {
    const [one, other] = [await readRollout(store, a), await readRollout(store, b)];
    return { divergence: firstDivergence(one.rollout.turns, other.rollout.turns) };
  },
});
