import type { ItemCell } from "../../../shared/protocol/views/lineage.ts";
import type { ServiceResult } from "../../../shared/protocol/editorServices.ts";
import { askEngine, valueOf } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import { KnownFailure } from "../shell/failures.ts";
import { showRolloutPair } from "./rolloutDiff.ts";
import { openRollout } from "./rolloutEditor.ts";

/** Of a cell so many rollouts are looked through for one that failed. */
const mostOfCell = 20;

type Row = ServiceResult<"rollouts.list">["rollouts"][number];

/**
 * Opens the rollouts of an item in a version: of one cell the first that failed, or else the first; of two cells one of each,
 * beside each other at the first action that differs, those that ended otherwise if there are such.
 */
export async function openCells(
  server: Pick<Server, "engine" | "state">,
  root: string,
  cells: readonly ItemCell[],
): Promise<void> {
  const [first, second] = await Promise.all(cells.map((cell) => rolloutsOf(server, root, cell)));
  if (first === undefined) return;
  if (second === undefined) {
    const chosen = first.find(({ outcome }) => outcome === "fail") ?? first[0];
    if (chosen) await openRollout({ root, within: chosen.run, id: chosen.id }, { beside: true });
    return;
  }
  const [a, b] = unlike(first, second);
  if (a === undefined || b === undefined) return;
  await showRolloutPair(server, { root, within: a.run, id: a.id }, { root, within: b.run, id: b.id });
}

async function rolloutsOf(
  server: Pick<Server, "engine" | "state">,
  root: string,
  { version, item }: ItemCell,
): Promise<readonly Row[]> {
  const params = { version, item, limit: mostOfCell };
  const { rollouts } = valueOf(await askEngine(server, { root, service: "rollouts.list", params }));
  if (rollouts.length === 0) throw new KnownFailure(`The archive has no rollout of ${item} in ${version}.`);
  return rollouts;
}

function unlike(first: readonly Row[], second: readonly Row[]): readonly [Row | undefined, Row | undefined] {
  for (const a of first) {
    const b = second.find(({ outcome }) => outcome !== a.outcome);
    if (b !== undefined) return [a, b];
  }
  return [first[0], second[0]];
}
