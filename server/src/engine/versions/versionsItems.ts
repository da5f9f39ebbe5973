import type { OpenSplit } from "../../../../shared/protocol/results/openSplit.ts";
import { numberOf, stringOf } from "../../evidence/store/rows.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { compareText } from "../../expression/compare.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { knownLineage } from "../project/knownLineage.ts";
import { commonSplit } from "../workspace/openSplit.ts";
import { defineService } from "../workspace/service.ts";

/** Rollouts of one item in one version. */
interface Cell {
  readonly passes: number;
  readonly known: number;
  readonly rollouts: number;
}
interface ItemRow {
  readonly item: string;
  readonly changes: number;
  readonly cells: readonly (Cell | null)[];
}

const byName = new Intl.Collator("en", { numeric: true });

/** Versions that a table shows at most. */
const most = 100;

/** How many of the rollouts of every item passed in each version; one that is not valid changes nothing. Stores nothing. */
export const versionsItems = defineService("versions.items", {
  repeatable: true,
  async run({ store, root }, { versions: asked, split: askedSplit, limit }) {
    const named = asked ?? (await arrivedVersions(store)).slice(-most);
    const split = await commonSplit(store, named, askedSplit);
    const all = asked ?? (await arrivedVersions(store, split));
    const newest = all.slice(-most);
    // They come as they are measured, v10 before v2 where several jobs run at once: people read them by their names.
    const versions = asked === undefined ? newest.sort(byName.compare) : newest;
    const invalid = await invalidOf(root, versions);
    const rows = await itemRows(store, { versions, invalid, split });
    const older = all.length - versions.length;
    return { versions, invalid, older, split, total: rows.length, items: rows.slice(0, limit) };
  },
});

/** Versions in the order of arrival; with a split only those that have rollouts of it. */
async function arrivedVersions(store: Store, split?: OpenSplit): Promise<string[]> {
  const rows = await store.query({
    sql: `SELECT version, min(rid) AS first FROM rollouts WHERE ${split === undefined ? "split <> 'audit'" : "split = ?"}
          GROUP BY version ORDER BY first`,
    params: split === undefined ? [] : [split],
  });
  return rows.map((row) => stringOf(row, "version"));
}

/** Those of the versions that the lineage has as not valid. */
async function invalidOf(root: string, versions: readonly string[]): Promise<string[]> {
  const { domain } = await projectOrBare(root);
  const known = (await knownLineage(root, domain)).byName();
  return versions.filter((version) => known.get(version)?.decision?.decision === "invalid");
}

async function itemRows(
  store: Store,
  { versions, invalid, split }: { versions: readonly string[]; invalid: readonly string[]; split: OpenSplit },
): Promise<ItemRow[]> {
  const found = await store.query({
    sql: `SELECT item, version, count(*) FILTER (outcome = 'pass') AS passes,
                 count(*) FILTER (outcome <> 'unknown') AS known, count(*) AS rollouts
          FROM rollouts WHERE split = ? AND version IN (SELECT unnest(from_json(?, '["VARCHAR"]')))
          GROUP BY item, version`,
    params: [split, JSON.stringify(versions)],
  });
  const places = new Map(versions.map((version, i) => [version, i]));
  const byItem = new Map<string, (Cell | null)[]>();
  for (const row of found) {
    const item = stringOf(row, "item");
    const cells = byItem.get(item) ?? versions.map(() => null);
    byItem.set(item, cells);
    const place = places.get(stringOf(row, "version"));
    if (place !== undefined)
      cells[place] = {
        passes: numberOf(row, "passes"),
        known: numberOf(row, "known"),
        rollouts: numberOf(row, "rollouts"),
      };
  }
  const counting = (cells: readonly (Cell | null)[]) =>
    cells.filter((_, i) => !invalid.includes(versions[i] ?? ""));
  return [...byItem]
    .map(([item, cells]) => {
      const valid = counting(cells);
      return { row: { item, changes: changesIn(valid), cells }, spread: spread(valid) };
    })
    .sort(
      (a, b) => b.row.changes - a.row.changes || b.spread - a.spread || compareText(a.row.item, b.row.item),
    )
    .map(({ row }) => row);
}

const rates = (cells: readonly (Cell | null)[]): number[] =>
  cells.flatMap((cell) => (cell === null || cell.known === 0 ? [] : [cell.passes / cell.known]));

/** How often most of the rollouts went from passed to failed or back; exactly half is neither. */
function changesIn(cells: readonly (Cell | null)[]): number {
  const sides = rates(cells)
    .filter((rate) => rate !== 0.5)
    .map((rate) => rate > 0.5);
  return sides.filter((side, i) => i > 0 && side !== sides[i - 1]).length;
}

function spread(cells: readonly (Cell | null)[]): number {
  const known = rates(cells);
  return known.length === 0 ? 0 : Math.max(...known) - Math.min(...known);
}
