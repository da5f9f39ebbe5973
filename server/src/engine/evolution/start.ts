import { setTimeout as delay } from "node:timers/promises";
import type { EvolutionStatus } from "../../../../shared/protocol/views/evolution.ts";
import { HarnessError } from "../../base/errors.ts";
import { readLoopState } from "../../loop/state.ts";
import { isAlive } from "../../runner/job/processes.ts";
import { readPiece } from "../jobs/jobLog.ts";
import { here } from "../workspace/machineNames.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { detach, type Detached } from "../jobs/detach.ts";
import { evolutionFiles, isRunning, readRecord } from "./record.ts";
import { evolutionStatus, generationsDone } from "./status.ts";

export interface StartOptions {
  /** How many generations are added to those that are done; where left out, it goes on with what was begun. */
  readonly more?: number | undefined;
  /** A new evolution from HEAD. */
  readonly restart?: boolean | undefined;
  /** Null for this machine; left out: where it ran before. */
  readonly host?: string | null | undefined;
  readonly autonomy?: "full" | "human_gated" | undefined;
  /** The command line to run; that of this release where left out. */
  readonly cli?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Longer than the patience of an evolution for an archive that is held. */
const patienceMs = 60_000;

/** Starts of this process, by project: a second one waits for the first and then finds it running. */
const starting = new Map<string, Promise<unknown>>();

/**
 * Starts the process that works on the evolution, or finds the one that does, and answers once it has the archive. It
 * outlives this process. @throws HarnessError jobFailed with its own words, badInput, projectInvalid
 */
export function startEvolution(root: string, options: StartOptions): Promise<EvolutionStatus> {
  const before = starting.get(root) ?? Promise.resolve();
  const started = before.catch(() => undefined).then(() => start(root, options));
  starting.set(root, started);
  return started.finally(() => {
    if (starting.get(root) === started) starting.delete(root);
  });
}

async function start(root: string, options: StartOptions): Promise<EvolutionStatus> {
  const engineFolder = engineFolderOf(root);
  const record = await readRecord(engineFolder);
  if (record !== undefined && isRunning(record)) return evolutionStatus(root);
  const host = options.host === undefined ? (record?.host ?? undefined) : options.host;
  const generations = await generationsFor(engineFolder, options);
  const begun = await detach({
    root,
    engineFolder,
    log: evolutionFiles.log,
    args: [
      "evolve",
      "--json",
      ...(generations === undefined ? [] : ["--generations", String(generations)]),
      ...(options.restart === true ? ["--restart"] : []),
      ...(options.autonomy === undefined ? [] : ["--autonomy", options.autonomy]),
      ...(host === undefined ? [] : ["--host", host ?? here]),
    ],
    cli: options.cli,
  });
  await untilItWorks(engineFolder, begun, options.signal);
  return evolutionStatus(root);
}

/** The whole number of generations that the verb wants. @throws HarnessError badInput */
async function generationsFor(
  engineFolder: string,
  { more, restart }: StartOptions,
): Promise<number | undefined> {
  const loop = restart === true ? undefined : await readLoopState(engineFolder);
  if (loop?.phase === "done" && loop.ended === null && more === undefined)
    throw new HarnessError(
      "badInput",
      `${generationsDone(loop.generations)} Run another generation to go on.`,
    );
  if (more === undefined) return undefined;
  if (loop === undefined) return more;
  // One that was begun is finished first; only then is there another one to add.
  return loop.phase === "done" || loop.phase === "promote" ? loop.generations + more : undefined;
}

/** Waits until the process has the archive, or has ended; then its last words are the reason. */
async function untilItWorks(
  engineFolder: string,
  { process: started, log, from }: Detached,
  signal: AbortSignal | undefined,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const record = await readRecord(engineFolder);
    const isIts = record?.process.pid === started.pid && record.process.start === started.start;
    if (isIts && record.ended?.how !== "failed") return;
    if (!isAlive(started)) {
      // It may have written its record between the two looks.
      const last = await readRecord(engineFolder);
      if (last?.process.pid === started.pid && last.ended !== null && last.ended.how !== "failed") return;
      const { text } = await readPiece(log, from, 65_536);
      throw new HarnessError("jobFailed", lastLine(text) ?? `The evolution ended at once; ${log} says why.`);
    }
    if (Date.now() > deadline)
      throw new HarnessError(
        "jobFailed",
        `The evolution did not start within ${patienceMs / 1000} s although its process ${started.pid} is running; see ${log}.`,
      );
    if (signal?.aborted === true)
      throw new HarnessError("cancelled", "You stopped waiting; the evolution starts all the same.");
    await delay(60);
  }
}

function lastLine(text: string): string | undefined {
  return text
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line !== "");
}
