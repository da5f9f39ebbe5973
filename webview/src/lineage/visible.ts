import type { LineageUiState } from "../../../shared/protocol/views/lineage.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import { matching, ordered, parseFilter } from "./filter.ts";

type Choice = Pick<LineageUiState, "query" | "scope" | "hidden">;

/** The versions that are shown, and whether their order is one that lanes can be drawn in: newest first. */
export type Shown = {
  readonly indices: readonly number[];
  readonly isGraph: boolean;
  readonly problem: string | null;
};

/** What filter, scope and hidden subtrees leave. Linear in the versions, apart from sorting. */
export function shownVersions(table: LineageTable, { query, scope, hidden }: Choice): Shown {
  const filter = parseFilter(query);
  const shown = matching(table, filter);
  const inScope = scopeMask(table, scope);
  const out = new Uint8Array(table.total);
  for (const name of hidden) {
    const at = table.find(name);
    if (at !== undefined) out[at] = 1;
  }
  const indices: number[] = [];
  for (let i = 0; i < table.total; i++) {
    const parent = table.parent[i] ?? -1;
    if (parent >= 0 && out[parent] === 1) out[i] = 1;
  }
  for (let i = table.total - 1; i >= 0; i--)
    if (shown[i] === 1 && out[i] !== 1 && inScope?.[i] !== 0) indices.push(i);
  const { order, problem } = filter;
  return order === null
    ? { indices, isGraph: true, problem }
    : { indices: ordered(table, indices, order, filter.is.get("label") ?? []), isGraph: false, problem };
}

/** A subtree, or the line of a version: where it comes from and what came of it. Undefined where everything is in scope. */
function scopeMask(table: LineageTable, scope: Choice["scope"]): Uint8Array | undefined {
  const at = scope === null ? undefined : table.find(scope.name);
  if (scope === null || at === undefined) return undefined;
  const mask = new Uint8Array(table.total);
  mask[at] = 1;
  for (let i = at + 1; i < table.total; i++) {
    const parent = table.parent[i] ?? -1;
    if (parent >= at && mask[parent] === 1) mask[i] = 1;
  }
  if (scope.how === "line")
    for (let i = table.parent[at] ?? -1; i >= 0; i = table.parent[i] ?? -1) mask[i] = 1;
  return mask;
}
