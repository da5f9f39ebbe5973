import { readRolloutNotes, rolloutNotesPath } from "../../diagnosis/rolloutNotes.ts";
import { dropOrdered, orderedRollouts } from "../../evidence/queries/orderedRollouts.ts";
import {
  countRollouts,
  listRollouts,
  summariesOf,
  type RolloutSummary,
} from "../../evidence/queries/query.ts";
import type { Sort } from "../../evidence/queries/rolloutOrder.ts";
import { firstHits, searchRollouts } from "../../evidence/queries/search.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { parseTextQuery } from "../../evidence/queries/textQuery.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { invalidatingLabels } from "../project/invalidatingLabels.ts";
import { splitOrDefault } from "../workspace/openSplit.ts";
import { withoutStep } from "./withoutStep.ts";
import { listedFilter, type Listed } from "./rolloutWhere.ts";
import { defineService } from "../workspace/service.ts";

type Row = RolloutSummary & Partial<Awaited<ReturnType<typeof firstHits>>[number]>;

/**
 * Rows of a list from any place on: `rows` is how many the list has, null while only a search would say. The first page comes
 * without the list being made; all others come from a list that is made once and named, so that who gives the name back stays
 * in it while rollouts arrive. Another name in the answer says that the list was made anew.
 */
export const rolloutsWindow = defineService("rollouts.window", {
  repeatable: true,
  async run({ store, root }, params, { signal }) {
    const { version, offset, limit, list, orderBy, descending, counts } = params;
    const split = await splitOrDefault(store, version, params.split);
    const listed = await listedFilter(store, root, { ...params, split });
    const sort = { by: orderBy, descending };
    const invalidating = counts ? await invalidatingLabels(root) : [];
    const counted = counts ? await countRollouts(store, listed.unsearched, invalidating) : undefined;
    const page =
      offset === 0 && list === undefined
        ? await firstPage(store, listed, { sort, limit, signal })
        : await pageAt(store, listed, { sort, offset, limit, list, signal });
    const known = listed.search === undefined ? counted?.total : undefined;
    return {
      version,
      split,
      offset,
      list: page.list,
      rows: page.rows ?? known ?? null,
      counts: counted ?? null,
      // Once for a list: what follows of it has the same answer.
      ...(counts ? { invalidating } : {}),
      rollouts: await withoutStep(store, await withNotes(root, page.rollouts)),
    };
  },
});

interface Page {
  readonly list: string | null;
  readonly rows: number | null;
  readonly rollouts: readonly Row[];
}

/** The way of a list that is read from its start: nothing is sorted that is not shown. */
async function firstPage(
  store: Store,
  { unsearched, search }: Listed,
  { sort, limit, signal }: { readonly sort: Sort; readonly limit: number; readonly signal: AbortSignal },
): Promise<Page> {
  const list = { ...unsearched, orderBy: sort.by, descending: sort.descending, limit, signal };
  const { rollouts, next } =
    search === undefined
      ? await listRollouts(store, list)
      : await searchRollouts(store, { ...list, text: parseTextQuery(search.text, search) }).then(
          ({ hits, ...rest }) => ({ rollouts: hits, next: rest.next }),
        );
  return { list: null, rows: next === undefined ? rollouts.length : null, rollouts };
}

async function pageAt(
  store: Store,
  { filter, search }: Listed,
  at: {
    readonly sort: Sort;
    readonly offset: number;
    readonly limit: number;
    readonly list: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<Page> {
  const { sort, offset, limit, list, signal } = at;
  for (let again = false; ; again = true) {
    const ordered = await orderedRollouts(store, filter, { sort, name: list, signal });
    const rids = [...ordered.rids.subarray(offset, offset + limit)];
    const found = await summariesOf(store, rids);
    if (found.length < rids.length && !again) {
      // Evidence was forgotten since it was sorted.
      dropOrdered(store, ordered.name);
      continue;
    }
    const rollouts =
      search === undefined ? found : await firstHits(store, parseTextQuery(search.text, search), found);
    return { list: ordered.name, rows: ordered.rids.length, rollouts };
  }
}

/** Each row with how many notes people wrote about it. */
async function withNotes(root: string, rows: readonly Row[]): Promise<(Row & { notes: number })[]> {
  const noted = new Map<string, number>();
  for (const { run, id } of await readRolloutNotes(rolloutNotesPath(engineFolderOf(root)))) {
    const key = JSON.stringify([run, id]);
    noted.set(key, (noted.get(key) ?? 0) + 1);
  }
  return rows.map((row) => ({ ...row, notes: noted.get(JSON.stringify([row.run, row.id])) ?? 0 }));
}
