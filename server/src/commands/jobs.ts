import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf, HarnessError } from "../base/errors.ts";
import { runsFolder } from "../engine/archive.ts";
import { hostExecutor } from "../engine/hostExecutor.ts";
import { localExecutor } from "../engine/localExecutor.ts";
import { openWorkspace } from "../engine/workspace.ts";
import { isOver, type Executor, type JobStatus } from "../runner/executor.ts";
import { knownElsewhere } from "../runner/runVersion.ts";
import { inspect } from "./inspect.ts";
import { printResult, type Io } from "./io.ts";
import { printable, table } from "./table.ts";

/** `evotrainer jobs --quarantine`: every line of evidence that was set aside, with file, line and reason. */
export async function quarantine(io: Io, cwd: string): Promise<void> {
  await inspect(cwd, async ({ engine }) => {
    const lines = await engine.request("quarantine.list", {});
    printResult(io, lines, () =>
      lines.length === 0
        ? "No line is in quarantine."
        : lines.map((l) => `${printable(l.path)}:${l.line}: ${printable(l.reason)}`).join("\n"),
    );
  });
}

/** `evotrainer jobs`: all jobs of the project and how they ended. */
export async function jobs(io: Io, cwd: string): Promise<void> {
  const workspace = await openWorkspace(cwd);
  const executor = localExecutor(workspace);
  const found: JobStatus[] = [];
  for (const id of await jobNames(runsFolder(workspace))) {
    const status = await lookUp(executor, id).catch((e: unknown) => {
      if (HarnessError.is(e, "notFound")) return undefined;
      throw e;
    });
    if (status !== undefined) found.push(status);
  }
  printResult(io, found, () =>
    found.length === 0
      ? "No job was started yet; run `evotrainer evolve`."
      : table(
          [
            ["job", "state", "ended with", "seconds"],
            ...found.map((j) => [j.id, j.state, ending(j), j.seconds.toFixed(0)]),
          ],
          [3],
        ),
  );
}

/** A job of this machine, or what is known here of one on a host: nothing is asked over the network. */
async function lookUp(executor: Executor, id: string): Promise<JobStatus> {
  try {
    return await executor.status(id);
  } catch (e) {
    const remote = HarnessError.is(e, "notFound")
      ? await knownElsewhere(executor.directoryOf(id))
      : undefined;
    if (remote === undefined) throw e;
    const { host, outcome } = remote;
    return {
      id,
      state: outcome === undefined ? "running" : "exited",
      exitCode: null,
      signal: null,
      timedOut: false,
      cancelled: false,
      oversize: false,
      reason: `${outcome === undefined ? "as far as known here" : (outcome.failure ?? "finished")}, on ${host}`,
      heartbeatAgeSeconds: null,
      seconds: outcome?.seconds ?? 0,
    };
  }
}

function ending(j: JobStatus): string {
  const why = [
    j.timedOut ? "budget passed" : "",
    j.cancelled ? "cancelled" : "",
    j.oversize ? "evidence too large" : "",
    j.reason ?? "",
  ].filter((w) => w !== "");
  const code = j.exitCode !== null ? `exit ${j.exitCode}` : (j.signal ?? "");
  return [code, ...why].filter((w) => w !== "").join(", ");
}

/**
 * `evotrainer logs <job>`: what it printed, both streams; with `follow` until it is over.
 * @throws HarnessError notFound
 */
export async function logs(io: Io, cwd: string, id: string, options: { follow: boolean }): Promise<void> {
  const workspace = await openWorkspace(cwd);
  const executor = localExecutor(workspace);
  await lookUp(executor, id);
  const offsets = { "stdout.log": 0, "stderr.log": 0 };
  for (;;) {
    const over = isOver(await lookUp(executor, id));
    for (const name of ["stdout.log", "stderr.log"] as const)
      offsets[name] += await printFrom(io, join(executor.directoryOf(id), name), offsets[name]);
    if (over || !options.follow) return;
    await delay(300);
  }
}

/** Prints a file from an offset on, as it is; returns the bytes printed. */
async function printFrom(io: Io, path: string, offset: number): Promise<number> {
  const file = await open(path).catch((e: unknown) => {
    if (codeOf(e) === "ENOENT") return undefined;
    throw e;
  });
  if (file === undefined) return 0;
  try {
    let printed = 0;
    const chunk = Buffer.alloc(65_536);
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, offset + printed);
      if (bytesRead === 0) return printed;
      io.out(chunk.toString("utf8", 0, bytesRead));
      printed += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/** `evotrainer cancel <job>`: asks the job to end. */
export async function cancel(io: Io, cwd: string, id: string): Promise<void> {
  const workspace = await openWorkspace(cwd);
  const local = localExecutor(workspace);
  const remote = await knownElsewhere(local.directoryOf(id));
  if (remote === undefined) await local.cancel(id);
  else {
    const { executor, close } = await hostExecutor(workspace, remote.host);
    await executor.cancel(id).finally(close);
  }
  printResult(
    io,
    { job: id, asked: true },
    () => `${id} was asked to stop; \`evotrainer jobs\` shows when it has.`,
  );
}

async function jobNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder, { withFileTypes: true }))
      .filter((e) => e.isDirectory())
      .map((e) => e.name)
      .sort();
  } catch (e) {
    if (codeOf(e) === "ENOENT") return [];
    throw e;
  }
}
