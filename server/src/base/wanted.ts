import { AsyncLocalStorage } from "node:async_hooks";

const current = new AsyncLocalStorage<AbortSignal>();

/**
 * Does work that is wanted until the signal is aborted. Whatever it waits for on the way, however deep, can ask by
 * `wantedUntil`, so that no query is forgotten. Work that several wait for gets a signal of its own.
 */
export const whileWanted = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
  current.run(signal, work);

/** The signal of the work that this is part of. */
export const wantedUntil = (): AbortSignal | undefined => current.getStore();
