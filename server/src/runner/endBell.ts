import { watch, type FSWatcher } from "node:fs";
import { join } from "node:path";

/** Rings when the end of a job of this machine is written, which looking every so often would find later. */
export interface EndBell {
  /** Waits so long, or until it rings or the signal is aborted. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
  close(): void;
}

/** A job that is not confined can ring it as often as it likes. */
const leastMilliseconds = 10;

/**
 * The keeper makes `exit.pending` before the job begins, and renames it at the end: that file is watched, and not the folder,
 * in which the trainer writes all the time. Where it cannot be watched the bell never rings.
 */
export function openEndBell(directory: string): EndBell {
  let hasRung = false;
  let wake: (() => void) | undefined;
  let watcher: FSWatcher | undefined;
  const close = (): void => watcher?.close();
  try {
    watcher = watch(join(directory, "exit.pending"), { persistent: false }, () => {
      hasRung = true;
      wake?.();
    });
    watcher.on("error", close);
  } catch {
    // It is gone, or the user watches as many files as the system allows.
  }
  const pause = (milliseconds: number, isWoken: boolean, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        wake = undefined;
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal?.addEventListener("abort", end);
      if (isWoken) wake = end;
      if (signal?.aborted === true || (isWoken && hasRung)) end();
    });
  return {
    pause: async (milliseconds, signal) => {
      const least = Math.min(milliseconds, leastMilliseconds);
      await pause(least, false, signal);
      await pause(milliseconds - least, true, signal);
      hasRung = false;
    },
    close,
  };
}
