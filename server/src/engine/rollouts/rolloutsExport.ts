import { counted } from "../../../../shared/words/numbers.ts";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { once } from "node:events";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { orderedRollouts } from "../../evidence/queries/orderedRollouts.ts";
import { wholeRollouts } from "../../evidence/queries/wholeRollouts.ts";
import { splitOrDefault } from "../workspace/openSplit.ts";
import { listedFilter } from "./rolloutWhere.ts";
import { defineService } from "../workspace/service.ts";

/** Rollouts that are read at once. */
const pageRows = 256;

/**
 * Writes the rollouts of a list into a file that a person chose, one line of the evidence contract each, in the order of the list.
 * The file is there when it is whole, or not at all.
 */
export const rolloutsExport = defineService("rollouts.export", {
  repeatable: true,
  async run({ store, root }, params, { signal, progress }) {
    const { version, path, orderBy, descending } = params;
    if (!isAbsolute(path))
      throw new HarnessError("badInput", `The list cannot be written to ${path}; give an absolute path.`);
    const split = await splitOrDefault(store, version, params.split);
    const { filter } = await listedFilter(store, root, { ...params, split });
    const sort = { by: orderBy, descending };
    const { rids } = await orderedRollouts(store, filter, { sort, signal });
    const partial = `${path}.${process.pid}.part`;
    let written = 0;
    try {
      const file = createWriteStream(partial, { mode: 0o644 });
      const failed = once(file, "error").then(([e]: unknown[]) => {
        throw e instanceof Error ? e : new Error(String(e));
      });
      failed.catch(() => undefined);
      for (let from = 0; from < rids.length; from += pageRows) {
        if (signal.aborted) break;
        const page = [...rids.subarray(from, from + pageRows)];
        const lines = new Map<number, string>();
        for await (const { rid, rollout } of wholeRollouts(store, { scope: { split, version }, rids: page }))
          lines.set(rid, `${JSON.stringify(rollout)}\n`);
        const text = page.map((rid) => lines.get(rid) ?? "").join("");
        written += lines.size;
        if (!file.write(text)) await Promise.race([once(file, "drain"), failed]);
        progress({
          message: `${written} of ${counted(rids.length, "rollout")}`,
          done: written,
          total: rids.length,
        });
      }
      const closed = once(file, "close");
      file.end();
      await Promise.race([closed, failed]);
      if (signal.aborted) throw new HarnessError("cancelled", "The export was cancelled.");
      await rename(partial, path);
    } catch (e) {
      await rm(partial, { force: true });
      if (HarnessError.is(e)) throw e;
      throw new HarnessError("badInput", `The list cannot be written to ${path}: ${messageOf(e)}.`, {
        cause: e,
      });
    }
    return { path, rollouts: written };
  },
});
