import { z } from "zod";
import { groupings } from "../../../../shared/protocol/evidence.ts";
import { groupRollouts } from "../../evidence/groupedRollouts.ts";
import { splitOrDefault } from "./openSplit.ts";
import { filterParams, whereOf } from "./rolloutWhere.ts";
import { defineService } from "./service.ts";

/** How many rollouts of a filter have each label, outcome, stop reason, step or item, and how many of these pass. */
export const rolloutsGroups = defineService({
  name: "rollouts.groups",
  repeatable: true,
  params: z.object({
    ...filterParams,
    by: z.enum(groupings),
    limit: z.int().min(1).max(1000).default(200),
  }),
  async run({ store }, { where, stopReason, by, limit, split: asked, ...rest }) {
    const split = await splitOrDefault(store, rest.version, asked);
    const filter = { ...rest, split, ...whereOf({ where, stopReason }) };
    return { by, split, ...(await groupRollouts(store, filter, { by, limit })) };
  },
});
