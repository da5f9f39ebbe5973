import { HarnessError } from "../../base/errors.ts";

/**
 * Does what Ctrl+C or a TERM signal stops at a good place. What was stopped says how to go on. @throws HarnessError
 * cancelled, and those of the work
 */
export async function interruptible<T>(goOn: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    return await work(stop.signal);
  } catch (e) {
    if (!stop.signal.aborted || !HarnessError.is(e, "cancelled") || e.message.includes("`evotrainer"))
      throw e;
    throw new HarnessError("cancelled", `${e.message} ${goOn}`, { cause: e });
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}
