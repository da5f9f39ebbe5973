import { z } from "zod";
import { HarnessError } from "../../base/errors.ts";
import { outcomesByItem } from "../../evidence/query.ts";
import { comparePaired } from "../../statistics/compare.ts";
import { flipsOf } from "../../statistics/flips.ts";
import { collectOutcomes } from "../../statistics/outcomes.ts";
import { whyNotPaired } from "../../statistics/pairs.ts";
import { projectOrBare } from "../bareProject.ts";
import { flipDivergence, type FlipDivergence } from "../flipDivergence.ts";
import { defineService } from "./service.ts";

/**
 * Paired comparison of version `b` with `a` on the selection split, with the items that flipped; for the `divergences`
 * largest flips also where a passing and a failing rollout part.
 */
export const versionsCompare = defineService({
  name: "versions.compare",
  repeatable: true,
  params: z.object({
    a: z.string(),
    b: z.string(),
    divergences: z.int().nonnegative().max(200).default(0),
  }),
  async run({ store, root }, { a, b, divergences }) {
    const { aggregator } = await projectOrBare(root);
    const rollouts = {
      a: await outcomesByItem(store, { split: "selection", version: a }),
      b: await outcomesByItem(store, { split: "selection", version: b }),
    };
    const [before, after] = [collectOutcomes(rollouts.a), collectOutcomes(rollouts.b)];
    const result = comparePaired(a, before, after, { aggregator, confidence: 0.95 });
    if (result === null) {
      const why = whyNotPaired({ name: a, outcomes: before }, { name: b, outcomes: after });
      throw new HarnessError("notFound", why?.message ?? `${a} and ${b} cannot be compared.`);
    }
    const { flips: found, ...counts } = flipsOf(before, after);
    const flips = [];
    for (const [i, flip] of found.entries()) {
      const divergence: FlipDivergence | null =
        i < divergences ? await flipDivergence(store, flip, rollouts) : null;
      flips.push({ ...flip, divergence });
    }
    return { version: b, ...result, flipped: counts, flips };
  },
});
