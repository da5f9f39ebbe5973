import { open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { counted, duration, hours as hoursText, money, value } from "../../../../shared/words/numbers.ts";
import { inLine, withPlainTexts } from "../../base/plainText.ts";
import { codeOf } from "../../base/errors.ts";
import { cancelJob } from "../../engine/jobs/cancelJob.ts";
import { allJobs, spendingOf } from "../../engine/jobs/jobList.ts";
import { lookUpJob } from "../../engine/jobs/lookUp.ts";
import { rerunJob } from "../../engine/running/rerunJob.ts";
import { localExecutor } from "../../engine/workspace/localExecutor.ts";
import { findProjectRoot, openWorkspace } from "../../engine/workspace/workspace.ts";
import { budgetTexts } from "../../../../shared/model/budgetText.ts";
import type { MachineSpending } from "../../../../shared/protocol/views/job.ts";
import { isOver } from "../../runner/job/executor.ts";
import { inspect } from "../terminal/inspect.ts";
import { exitCodes, printResult, type Io } from "../terminal/io.ts";
import { table } from "../terminal/table.ts";
import { askInTerminal } from "../terminal/terminalPrompts.ts";
import type { AddVerb } from "../terminal/verb.ts";
import { LogPieces } from "./logPieces.ts";

export const addJobs: AddVerb = (program, { io, cwd }) => {
  program
    .command("jobs")
    .description("list the jobs of this project and how they ended")
    .option("--quarantine", "show instead which lines of evidence were set aside, and why", false)
    .option(
      "--spent",
      "show instead how much each machine's jobs have used, and how much of its budget that is",
      false,
    )
    .action(async (o: { quarantine: boolean; spent: boolean }) => {
      await (o.quarantine ? quarantine : o.spent ? spent : jobs)(io(), cwd);
    });
};

export const addLogs: AddVerb = (program, { io, cwd }) => {
  program
    .command("logs <job>")
    .description("show what a job printed")
    .option("-f, --follow", "keep showing what it prints", false)
    .action(async (job: string, o: { follow: boolean }) => logs(io(), cwd, job, o));
};

export const addCancel: AddVerb = (program, { io, cwd }) => {
  program
    .command("cancel <job>")
    .description("stop a job")
    .action(async (job: string) => cancel(io(), cwd, job));
};

export const addRerun: AddVerb = (program, { io, cwd, exitWith }) => {
  program
    .command("rerun <job>")
    .description("run a job that did not finish again: the same version, seed and host under a new name")
    .action(async (job: string) => exitWith(await rerun(io(), cwd, job)));
};

/** `evotrainer jobs --quarantine`: every line of evidence that was set aside, with file, line and reason. */
export async function quarantine(io: Io, cwd: string): Promise<void> {
  await inspect(cwd, async ({ engine }) => {
    const lines = await engine.request("quarantine.list", {});
    printResult(io, lines, (lines) =>
      lines.length === 0 ? "No lines are in quarantine." : setAside(lines).join("\n"),
    );
  });
}

/** A line of text for each run of lines of one file that were set aside for one reason. */
function setAside(
  lines: readonly { readonly path: string; readonly line: number; readonly reason: string }[],
): string[] {
  const runs: { path: string; reason: string; from: number; to: number }[] = [];
  for (const { path, line, reason } of lines) {
    const last = runs.at(-1);
    if (last?.path === path && last.reason === reason && line === last.to + 1) last.to = line;
    else runs.push({ path, reason, from: line, to: line });
  }
  return runs.map(({ path, reason, from, to }) =>
    from === to
      ? `${path}:${from}: ${reason}`
      : `${path}:${from}-${to}: ${reason} (${counted(to - from + 1, "line")})`,
  );
}

/** `evotrainer jobs`: all jobs of the project, those that run first, and how they ended. */
export async function jobs(io: Io, cwd: string): Promise<void> {
  const root = await findProjectRoot(cwd);
  const found = await allJobs(root);
  const spent = await spendingOf(root, found);
  printResult(io, found, (found) =>
    found.length === 0
      ? "No job has been started yet; run `evotrainer evolve`."
      : `${table(
          [
            ["job", "state", "host", "step", "reward", "time", "cost", "why"],
            ...found.map((j) => [
              j.id,
              j.state,
              j.host ?? "",
              j.step === null ? "" : `${j.step}${j.stepsTotal === null ? "" : `/${j.stepsTotal}`}`,
              j.reward === null ? "" : value(j.reward),
              duration(j.seconds),
              j.cost === null ? "" : money(j.cost),
              [j.failure?.message ?? j.waitsFor, j.changed].filter((text) => text != null).join(" "),
            ]),
          ],
          [3, 4, 5, 6],
        )}\n\n${spendingTable(withPlainTexts(spent))}`,
  );
}

/** `evotrainer jobs --spent`: what the jobs of each machine took, and what is left of its budget. */
export async function spent(io: Io, cwd: string): Promise<void> {
  const root = await findProjectRoot(cwd);
  const spending = await spendingOf(root, await allJobs(root));
  printResult(io, spending, (spending) =>
    spending.length === 0 ? "Nothing has been spent yet, and no host has a budget." : spendingTable(spending),
  );
}

function spendingTable(spending: readonly MachineSpending[]): string {
  return table(
    [
      ["machine", "jobs", "running", "time", "cost", "budget"],
      ...spending.map(({ host, jobs: count, running, hours, cost, budget }) => [
        host,
        String(count),
        String(running),
        hoursText(hours),
        cost === null ? "" : money(cost),
        budget === null ? "" : `${budgetTexts(budget, cost?.currency).join(", ")} per ${budget.per}`,
      ]),
    ],
    [1, 2, 3, 4],
  );
}

/**
 * `evotrainer logs <job>`: what it printed, both streams; with `follow` until it is over.
 * @throws HarnessError notFound
 */
export async function logs(io: Io, cwd: string, id: string, options: { follow: boolean }): Promise<void> {
  const workspace = await openWorkspace(cwd);
  const executor = localExecutor(workspace);
  await lookUpJob(executor, id);
  const streams = ["stdout.log", "stderr.log"].map((name) => ({
    path: join(executor.directoryOf(id), name),
    offset: 0,
    pieces: new LogPieces(),
  }));
  for (;;) {
    const over = isOver((await lookUpJob(executor, id)).status);
    for (const stream of streams)
      stream.offset += await printFrom(stream.path, stream.offset, (bytes) =>
        io.out(stream.pieces.text(bytes)),
      );
    if (over || !options.follow) {
      for (const { pieces } of streams) io.out(pieces.end());
      return;
    }
    await delay(300);
  }
}

/** Prints a file from an offset on; returns the bytes printed. */
async function printFrom(path: string, offset: number, print: (bytes: Buffer) => void): Promise<number> {
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
      print(chunk.subarray(0, bytesRead));
      printed += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/** `evotrainer cancel <job>`: asks the job to end. */
export async function cancel(io: Io, cwd: string, id: string): Promise<void> {
  askInTerminal();
  await cancelJob(await findProjectRoot(cwd), id);
  printResult(
    io,
    { job: id, asked: true },
    ({ job }) => `${job} was asked to stop; \`evotrainer jobs\` shows when it has stopped.`,
  );
}

/** `evotrainer rerun <job>`: the same version and seed once more, for a job that did not finish. */
export async function rerun(io: Io, cwd: string, id: string): Promise<number> {
  askInTerminal();
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    const outcome = await rerunJob(await findProjectRoot(cwd), id, {
      started: (job) => io.err(`${inLine(id)} runs again as ${inLine(job)}.\n`),
      signal: stop.signal,
    });
    printResult(io, outcome, (outcome) => outcome.message);
    return outcome.ok ? exitCodes.success : exitCodes.finding;
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}
