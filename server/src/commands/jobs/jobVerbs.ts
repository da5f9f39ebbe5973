import type { Command } from "commander";
import type { Io } from "../terminal/io.ts";

const load = () => import("./jobs.ts");

/** Adds the verbs about jobs; their code is loaded when one is asked for. */
export function addJobVerbs(
  program: Command,
  {
    io,
    cwd,
    exitWith,
  }: { readonly io: () => Io; readonly cwd: string; readonly exitWith: (code: number) => void },
): void {
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
      const verbs = await load();
      await (o.quarantine ? verbs.quarantine : o.spent ? verbs.spent : verbs.jobs)(io(), cwd);
    });
  program
    .command("logs <job>")
    .description("show what a job printed")
    .option("-f, --follow", "keep showing what it prints", false)
    .action(async (job: string, o: { follow: boolean }) => (await load()).logs(io(), cwd, job, o));
  program
    .command("cancel <job>")
    .description("stop a job")
    .action(async (job: string) => (await load()).cancel(io(), cwd, job));
  program
    .command("rerun <job>")
    .description("run a job that did not finish again: the same version, seed and host under a new name")
    .action(async (job: string) => exitWith(await (await load()).rerun(io(), cwd, job)));
}
