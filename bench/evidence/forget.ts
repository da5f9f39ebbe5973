import type { Store } from "../../server/src/evidence/store/database.ts";

/** Makes an open archive answer and label anew, as after a write: what it was asked before it would give from memory. */
export async function forget(store: Store): Promise<void> {
  await store.write(() => Promise.resolve());
}
