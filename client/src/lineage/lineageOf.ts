import { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import type { Server } from "../connection/languageClient.ts";

/** The lineage of a project that the views do not show, once; undefined where there is none. */
export async function lineageOf(
  server: Pick<Server, "lineage">,
  root: string,
): Promise<LineageTable | undefined> {
  const table = new LineageTable();
  for (let next: { epoch: string; since: number; below: number } | undefined; ;) {
    const reply = await server.lineage({ root, ...next });
    if (reply.type !== "lineage") return undefined;
    const { page } = reply;
    table.apply(page);
    const below = page.index.at(-1);
    if (page.rest === 0 || below === undefined) return page.total === 0 ? undefined : table;
    next = { epoch: page.epoch, since: 0, below };
  }
}
