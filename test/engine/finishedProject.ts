import assert from "node:assert/strict";
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { evotrainer } from "./cli.ts";
import { makeReviewProject } from "./reviewProject.ts";
import { makeToyProject } from "./toyProject.ts";

/** Makes a project with its evolution; called once in a run of all tests. */
type Make = () => string;

let own: string | undefined;
/** What the processes of one `npm test` share; a single test file has a folder to itself. */
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

/** Whether this process may do `work` in a folder that several share; when another does it, waits until it is done. */
function mayMake(lock: string, isDone: () => boolean): boolean {
  for (const pause = new Int32Array(new SharedArrayBuffer(4)); !isDone(); Atomics.wait(pause, 0, 0, 100))
    try {
      mkdirSync(lock);
      return true;
    } catch {
      // Another process makes it.
    }
  return false;
}

/** A copy, in a new temporary folder, of a project that one process makes for all of them. */
function copyOf(name: string, make: Make): string {
  const finished = join(sharedFolder(), name);
  const lock = `${finished}.lock`;
  if (mayMake(lock, () => existsSync(finished)))
    try {
      const made = make();
      const partial = `${finished}.partial`;
      rmSync(partial, { recursive: true, force: true });
      copy(made, partial);
      renameSync(partial, finished);
      rmSync(made, { recursive: true, force: true });
    } finally {
      // When it failed, the next process tries it and fails with the reason.
      rmSync(lock, { recursive: true, force: true });
    }
  const root = mkdtempSync(join(tmpdir(), "evo-toy-"));
  copy(finished, root);
  return root;
}

function copy(from: string, to: string): void {
  const filter = (path: string): boolean => !lstatSync(path).isSocket();
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter });
}

/** The toy project after its two generations. */
export const makeEvolvedProject = (): string =>
  copyOf("evolved", () => {
    const root = makeToyProject();
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
    return root;
  });

/** The project of the review tests, whose evolution waits for an answer. */
export const makeWaitingProject = (): string =>
  copyOf("waiting", () => {
    const root = makeReviewProject();
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 1, ran.stderr);
    assert.match(ran.stderr, /Waiting for approval of v2-shape-and-bonus/);
    return root;
  });
