import { fatesOf } from "../../changes/fates.ts";
import { flowBetween } from "../../changes/flow.ts";
import { assertComparableIn } from "../project/comparable.ts";
import { usableDiagnostics } from "../project/usableDiagnostics.ts";
import { commonSplit } from "../workspace/openSplit.ts";
import { defineService } from "../workspace/service.ts";

/** Where the items and rollouts of version `a` went in version `b`, by how they ended. Stores nothing. */
export const versionsFlow = defineService("versions.flow", {
  repeatable: true,
  async run({ store, root }, { a, b, by, split: asked, with: given }) {
    await assertComparableIn(root, a, b);
    const split = await commonSplit(store, [a, b], asked);
    const { diagnostics, problems } = await usableDiagnostics(root, given);
    const used = by === "label" ? diagnostics : [];
    const [before, after] = [
      await fatesOf(store, { split, version: a }, used),
      await fatesOf(store, { split, version: b }, used),
    ];
    const own = used.map((d) => d.name);
    const others = [...before.labels, ...after.labels].filter((l) => !own.includes(l));
    const order = {
      labels: [...new Set([...own, ...others])],
      invalidating: new Set(used.filter((d) => d.label.invalidates).map((d) => d.name)),
    };
    return {
      a,
      b,
      split,
      ...flowBetween(before.rollouts, after.rollouts, { by, order }),
      problems: by === "label" ? problems : [],
    };
  },
});
