import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let own: string | undefined;
/** The folder that the processes of one `npm test` share; a test file that runs alone has a separate one. */
function sharedFolder(): string {
  const shared = process.env["EVOTRAINER_TEST_SHARED"];
  if (shared !== undefined) return shared;
  if (own === undefined) {
    const made = mkdtempSync(join(tmpdir(), "evo-shared-"));
    own = made;
    process.on("exit", () => rmSync(made, { recursive: true, force: true }));
  }
  return own;
}

/** Whether this process may make the missing folder; while another process makes it, this one waits. */
function mayMake(lock: string, isDone: () => boolean): boolean {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (; !isDone(); Atomics.wait(pause, 0, 0, 100))
    try {
      mkdirSync(lock);
      return true;
    } catch {
      // Another process makes it.
    }
  return false;
}

/**
 * For tests: a folder that the first process to ask for it makes, and that all others read and nobody changes. `make` fills
 * the empty folder that it gets. When it throws, the next process tries, and fails with the reason too.
 */
export function madeOnce(name: string, make: (folder: string) => void): string {
  const finished = join(sharedFolder(), name);
  const lock = `${finished}.lock`;
  if (!mayMake(lock, () => existsSync(finished))) return finished;
  try {
    const partial = `${finished}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial);
    make(partial);
    renameSync(partial, finished);
  } finally {
    rmSync(lock, { recursive: true });
  }
  return finished;
}
