import { HarnessError } from "../../base/errors.ts";

/** Works that would stop in order if they were told to. */
let stoppable = 0;

/** Whether an interrupt now makes some work stop at a good place; otherwise nobody answers it. */
export const stopsInOrder = (): boolean => stoppable > 0;

/**
 * Does what Ctrl+C or a TERM signal stops at a good place. Somebody who stops it is told how to go on, in the same words
 * wherever the work was. @throws HarnessError cancelled, and those of the work
 */
export async function interruptible<T>(goOn: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const interrupt = (): void => {
    if (!stop.signal.aborted) stoppable--;
    stop.abort();
  };
  stoppable++;
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    return await work(stop.signal);
  } catch (e) {
    if (!stop.signal.aborted || !HarnessError.is(e, "cancelled")) throw e;
    throw new HarnessError("cancelled", `Interrupted. ${goOn}`, { cause: e });
  } finally {
    if (!stop.signal.aborted) stoppable--;
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}
