import { groupRollouts } from "../../evidence/queries/groupedRollouts.ts";
import { invalidatingLabels } from "../project/invalidatingLabels.ts";
import { readableVersions } from "../project/knownLineage.ts";
import { splitOrDefault } from "../workspace/openSplit.ts";
import { peopleOn } from "./rolloutsPeople.ts";
import { ratesBeside } from "./ratesBeside.ts";
import { listedFilter } from "./rolloutWhere.ts";
import { defineService } from "../workspace/service.ts";

/** How many rollouts of a filter have each label, outcome, stop reason, step or item, and how many of these pass. */
export const rolloutsGroups = defineService("rollouts.groups", {
  repeatable: true,
  async run({ store, root }, { by, limit, ...params }) {
    const split = await splitOrDefault(store, params.version, params.split);
    const { filter } = await listedFilter(store, root, { ...params, split });
    const invalidating = await invalidatingLabels(root);
    const grouped = await groupRollouts(store, filter, { by, limit, invalidating });
    const labels = by === "label" ? grouped.groups.flatMap(({ value }) => value ?? []) : [];
    // A rate of the ledger is one of the selection split.
    const isBeside = labels.length > 0 && split === "selection";
    return {
      ...{ by, split, ...grouped, people: await peopleOn(store, root, labels) },
      ...(isBeside ? ratesBeside(params.version, labels, (await readableVersions(root))()) : {}),
    };
  },
});
