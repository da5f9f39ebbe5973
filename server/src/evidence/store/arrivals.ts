import type { Store } from "./database.ts";

/** How often rollouts were committed to an open archive: what was computed for all of them holds until it changes. */
const counts = new WeakMap<Store, number>();

export function arrivals(store: Store): number {
  return counts.get(store) ?? 0;
}

/** To be called after every commit of rollouts. */
export function noteArrival(store: Store): void {
  counts.set(store, arrivals(store) + 1);
}
