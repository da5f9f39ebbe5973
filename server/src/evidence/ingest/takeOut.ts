import type { Store } from "../store/database.ts";
import { findSource, storedPath } from "../store/sources.ts";
import { dropRows } from "./dropRows.ts";
import { forgetIngestState } from "./ingest.ts";

/** Takes what a file brought in out of the archive, so that it is read again from its start, by the terms of its run now. */
export function takeOut(store: Store, path: string): Promise<void> {
  return store.exclusive("ingest", async () => {
    const known = await findSource(store, storedPath(store, path));
    if (known === undefined) return;
    forgetIngestState(store);
    await dropRows(store, [{ ...known, whole: true }]);
  });
}
