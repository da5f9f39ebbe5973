/** What the worker of `npm test` does before it ends (`scripts/lib/testWorker.mjs`); undefined in a process that runs one file. */
const list: unknown = Reflect.get(globalThis, Symbol.for("evotrainer.endOfRun"));

/** Whether this process runs other test files after this one, so that what takes long to start may be left running for them. */
export const isLeftRunning = Array.isArray(list);

/** Has something done when no more test files come. */
export function atEndOfRun(work: () => Promise<void>): void {
  if (Array.isArray(list)) list.push(work);
}
