import { HarnessError } from "../../base/errors.ts";

/** Works that would stop in order if they were told to. */
let stoppable = 0;

/** Whether an interrupt now makes some work stop at a good place; otherwise nobody answers it. */
export const stopsInOrder = (): boolean => stoppable > 0;

/**
 * Does what Ctrl+C or a TERM signal stops at a good place. What was stopped says how to go on. @throws HarnessError
 * cancelled, and those of the work
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
    if (!stop.signal.aborted || !HarnessError.is(e, "cancelled") || e.message.includes("`evotrainer"))
      throw e;
    throw new HarnessError("cancelled", `${e.message} ${goOn}`, { cause: e });
  } finally {
    if (!stop.signal.aborted) stoppable--;
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}
