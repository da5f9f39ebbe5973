import { z } from "zod";
import { groupings } from "../../../../shared/protocol/evidence.ts";
import { groupRollouts } from "../../evidence/queries/groupedRollouts.ts";
import { splitOrDefault } from "../workspace/openSplit.ts";
import { filterParams, listedFilter, listedParams } from "./rolloutWhere.ts";
import { defineService } from "../workspace/service.ts";

/** How many rollouts of a filter have each label, outcome, stop reason, step or item, and how many of these pass. */
export const rolloutsGroups = defineService({
  name: "rollouts.groups",
  repeatable: true,
  params: z.object({
    ...filterParams,
    note: listedParams.note,
    by: z.enum(groupings),
    limit: z.int().min(1).max(1000).default(200),
  }),
  async run({ store, root }, { by, limit, ...params }) {
    const split = await splitOrDefault(store, params.version, params.split);
    const { filter } = await listedFilter(store, root, { ...params, split });
    return { by, split, ...(await groupRollouts(store, filter, { by, limit })) };
  },
});
