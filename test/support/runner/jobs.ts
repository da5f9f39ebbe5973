import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { JobRequest } from "../../../server/src/runner/job/jobSpec.ts";
import { LocalExecutor } from "../../../server/src/runner/local.ts";
import { patience } from "../base/patience.ts";

/** A folder for the jobs of one test, with an executor for it. */
export interface TestJobs {
  readonly root: string;
  readonly runs: string;
  readonly executor: LocalExecutor;
  /** Another executor for the same folder, as another process would have. */
  another(): LocalExecutor;
  /** Submits a shell script and returns its id. */
  start(script: string, more?: Partial<JobRequest>): Promise<string>;
  /** Fails if a process of these jobs is still alive; then removes the folder. */
  dispose(): Promise<void>;
}

/** The keeper as it is shipped. */
export const keeperPath = fileURLToPath(
  new URL("../../../server/src/runner/keeper/keeper.sh", import.meta.url),
);
export const hostPrograms = {
  keeper: keeperPath,
  slurm: fileURLToPath(new URL("../../../server/src/runner/slurm/slurm.sh", import.meta.url)),
};

/**
 * Polls a condition until it is true; fails after `seconds`. Many conditions start a program or look through all processes,
 * so the pauses grow with time, up to a fifth of a second.
 */
export async function until<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  seconds = 30,
): Promise<T> {
  let pause = 20;
  for (const deadline = Date.now() + seconds * 1000 * patience; ; pause = Math.min(200, pause * 1.2)) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`Not within ${seconds * patience} s: ${what}`);
    await delay(pause);
  }
}

/** Processes of a folder: their command line or environment names it. */
export function processesOf(folder: string): { pid: number; command: string }[] {
  const found: { pid: number; command: string }[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      const environment = readFileSync(`/proc/${name}/environ`, "utf8");
      if (command.includes(folder) || environment.includes(folder))
        found.push({ pid: Number(name), command });
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}

export function makeTestJobs(folder?: string): TestJobs {
  const root = folder ?? realpathSync(mkdtempSync(join(tmpdir(), "evotrainer jobs ")));
  const runs = join(root, "runs");
  mkdirSync(runs, { recursive: true });
  const another = () => new LocalExecutor({ runsDirectory: runs, keeper: keeperPath, pollMilliseconds: 30 });
  const executor = another();
  let next = 0;
  return {
    root,
    runs,
    executor,
    another,
    start: async (script, more = {}) => {
      const id = more.id ?? `job-${++next}`;
      await executor.submit({
        id,
        command: ["sh", "-c", script],
        cwd: root,
        environment: {},
        budgetSeconds: 300,
        graceSeconds: 1,
        ...more,
      });
      return id;
    },
    dispose: async () => {
      try {
        await until(`no process of ${root} is left`, () => processesOf(root).length === 0, 10).catch(
          (e: unknown) => {
            const left = processesOf(root);
            for (const { pid } of left) process.kill(pid, "SIGKILL");
            throw new Error(`Left behind: ${left.map((p) => `${p.pid} ${p.command}`).join("; ")}`, {
              cause: e,
            });
          },
        );
      } finally {
        if (folder === undefined) rmSync(root, { recursive: true, force: true });
      }
    },
  };
}
