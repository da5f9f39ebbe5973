import { counted, duration, hours as hoursText, money, value } from "../../../../shared/words/numbers.ts";
import { inLine, withPlainTexts } from "../../base/plainText.ts";
import { findMeantJob } from "../../engine/jobs/meantJob.ts";
import { allJobs, spendingOf } from "../../engine/jobs/jobList.ts";
import { findProjectRoot } from "../../engine/workspace/workspace.ts";
import { budgetTexts } from "../../../../shared/model/budgetText.ts";
import type { MachineSpending } from "../../../../shared/protocol/views/job.ts";
import { inspect } from "../terminal/inspect.ts";
import { interruptible } from "../terminal/interruptible.ts";
import { exitCodes, printResult, type Io } from "../terminal/io.ts";
import { table } from "../terminal/table.ts";
import { askInTerminal } from "../terminal/terminalPrompts.ts";
import type { AddVerb } from "../terminal/verb.ts";

export const addJobs: AddVerb = (program, { io, cwd }) => {
  program
    .command("jobs")
    .description("list the jobs of this project and how they ended")
    .option("--quarantine", "show instead which lines of evidence were set aside, and why", false)
    .option(
      "--spent",
      "show instead how much each machine's jobs have used, also as a share of its budget",
      false,
    )
    .action(async (o: { quarantine: boolean; spent: boolean }) => {
      await (o.quarantine ? quarantine : o.spent ? spent : jobs)(io(), cwd);
    });
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
    .description("run an unfinished job again, under a new name, with the same version, seed and host")
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
              [
                j.failure?.message ?? j.waitsFor,
                j.changed,
                j.notValid === true ? "Its version does not count." : undefined,
              ]
                .filter((text) => text != null)
                .join(" "),
            ]),
          ],
          [3, 4, 5, 6],
          io,
        )}\n\n${spendingTable(io, withPlainTexts(spent))}`,
  );
}

/** `evotrainer jobs --spent`: what the jobs of each machine took, and what is left of its budget. */
export async function spent(io: Io, cwd: string): Promise<void> {
  const root = await findProjectRoot(cwd);
  const spending = await spendingOf(root, await allJobs(root));
  printResult(io, spending, (spending) =>
    spending.length === 0
      ? "Nothing has been spent yet, and no host has a budget."
      : spendingTable(io, spending),
  );
}

function spendingTable(io: Io, spending: readonly MachineSpending[]): string {
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
    io,
  );
}

/** `evotrainer cancel <job>`: asks the job to end. */
export async function cancel(io: Io, cwd: string, asked: string): Promise<void> {
  askInTerminal();
  const root = await findProjectRoot(cwd);
  const id = await findMeantJob(root, asked);
  const { cancelJob } = await import("../../engine/jobs/cancelJob.ts");
  await cancelJob(root, id);
  printResult(
    io,
    { job: id, asked: true },
    ({ job }) => `${job} was asked to stop; \`evotrainer jobs\` shows when it has stopped.`,
  );
}

/** `evotrainer rerun <job>`: the same version and seed once more, for a job that did not finish. */
export async function rerun(io: Io, cwd: string, asked: string): Promise<number> {
  const { rerunJob } = await import("../../engine/running/rerunJob.ts");
  askInTerminal();
  const root = await findProjectRoot(cwd);
  const id = await findMeantJob(root, asked);
  const outcome = await interruptible("The job keeps running; `evotrainer jobs` shows it.", (signal) =>
    rerunJob(root, id, {
      started: (job) => io.err(`${inLine(id)} runs again as ${inLine(job)}.\n`),
      signal,
    }),
  );
  printResult(io, outcome, (outcome) => outcome.message);
  return outcome.ok ? exitCodes.success : exitCodes.finding;
}
