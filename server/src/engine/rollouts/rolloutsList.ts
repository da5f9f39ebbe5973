import {
  countRollouts,
  listRollouts,
  type ListOptions,
  type RolloutSummary,
} from "../../evidence/queries/query.ts";
import { searchRollouts, type SearchHit } from "../../evidence/queries/search.ts";
import { parseTextQuery } from "../../evidence/queries/textQuery.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { splitOrDefault } from "../workspace/openSplit.ts";
import { assertLookedFor } from "./knownLabel.ts";
import { awaitsLabels } from "./awaitsLabels.ts";
import { labelGiven } from "./labelGiven.ts";
import { withoutStep } from "./withoutStep.ts";
import { whereOf } from "./rolloutWhere.ts";
import { invalidatingLabels } from "../project/invalidatingLabels.ts";
import { defineService } from "../workspace/service.ts";

interface Page {
  readonly rollouts: readonly (RolloutSummary | SearchHit)[];
  readonly next?: string;
}

/**
 * One page of the rollouts of a version, with the counts of all that the filter lets through; with a search, where the
 * text stands, and the counts are of what is searched, because counting the hits would read every text.
 */
export const rolloutsList = defineService("rollouts.list", {
  repeatable: true,
  async run(
    { store, root },
    { where, stopReason, search, ignoreCase, split: asked, with: given, ...rest },
    { signal },
  ) {
    const split = await splitOrDefault(store, rest.version, asked);
    const { label, version } = rest;
    const justSet = await labelGiven(store, root, given, { version, split });
    if (label !== undefined) await assertLookedFor(store, root, { label, version, split, given });
    const list = { ...rest, split, signal, ...whereOf({ where, stopReason }) };
    const page = await pageOf(store, list, search, ignoreCase ?? false);
    const isBlank = page.rollouts.every(({ labels }) => labels.every((one) => justSet.has(one)));
    const awaits = isBlank && (await awaitsLabels(store, root, { version, split, given, justSet }));
    return {
      version,
      split,
      ...(await countRollouts(store, list, await invalidatingLabels(root))),
      ...page,
      rollouts: await withoutStep<RolloutSummary & Partial<SearchHit>>(store, page.rollouts),
      ...(awaits ? { unlabelled: true } : {}),
    };
  },
});

async function pageOf(
  store: Store,
  list: ListOptions,
  search: string | undefined,
  ignoreCase: boolean,
): Promise<Page> {
  if (search === undefined) return listRollouts(store, list);
  const { hits, ...rest } = await searchRollouts(store, {
    ...list,
    text: parseTextQuery(search, { ignoreCase }),
  });
  return { rollouts: hits, ...rest };
}
