import { z } from "zod";
import { HarnessError } from "../../base/errors.ts";
import { itemOutcomes } from "../../diagnosis/outcomes.ts";
import { projectOrBare } from "../bareProject.ts";
import { comparePaired } from "../../statistics/compare.ts";
import { defineService } from "./service.ts";

/** Paired comparison of version `b` with `a` on the selection split, with the items that flipped. */
export const versionsCompare = defineService({
  name: "versions.compare",
  repeatable: true,
  params: z.object({ a: z.string(), b: z.string() }),
  async run({ store, root }, { a, b }) {
    const { aggregator } = await projectOrBare(root);
    const before = await itemOutcomes(store, { split: "selection", version: a });
    const after = await itemOutcomes(store, { split: "selection", version: b });
    const result = comparePaired(a, before, after, { aggregator, confidence: 0.95 });
    if (result === null)
      throw new HarnessError("notFound", `${a} and ${b} have no item with a known outcome in common.`);
    const other = new Map(after.map((o) => [o.item, o]));
    const flips = before.flatMap((o) => {
      const now = other.get(o.item);
      const change = now === undefined ? 0 : now.pass - o.pass;
      return now === undefined || change === 0
        ? []
        : [{ item: o.item, before: o.pass, after: now.pass, samples: now.pass + now.fail + now.unknown }];
    });
    return { version: b, ...result, flips };
  },
});
