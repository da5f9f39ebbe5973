import { join } from "node:path";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { HarnessError, messageOf } from "./base/errors.ts";
import { check, checkFormats, type CheckFormat } from "./commands/check.ts";
import { compare } from "./commands/compare.ts";
import { diagnose } from "./commands/diagnose.ts";
import { evolve } from "./commands/evolve.ts";
import { init, templates, type Template } from "./commands/init.ts";
import { exitCodeOf, exitCodes, type Io } from "./commands/io.ts";
import { cancel, jobs, logs, quarantine } from "./commands/jobs.ts";
import { lineage } from "./commands/lineage.ts";
import { review } from "./commands/review.ts";
import { rollouts, showRollout } from "./commands/rollouts.ts";
import { validate } from "./commands/validate.ts";

const cwd = process.cwd();
const program = new Command("evotrainer")
  .description("Evolve a policy together with its training harness.")
  .version(process.env["EVOTRAINER_VERSION"] ?? "0.1.0")
  .option("--json", "print one JSON document on stdout, messages on stderr")
  .showHelpAfterError("(evotrainer <verb> --help shows the options)")
  .exitOverride();

function io(): Io {
  const { stdout, stderr } = process;
  return {
    json: program.opts<{ json?: boolean }>().json === true,
    color: stdout.isTTY && stderr.isTTY && process.env["NO_COLOR"] === undefined,
    live: stderr.isTTY,
    columns: stderr.isTTY ? stderr.columns : 100,
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
  };
}

function positive(text: string): number {
  const n = Number(text);
  if (!Number.isInteger(n) || n < 1) throw new InvalidArgumentError("a whole number from 1 is needed.");
  return n;
}

/** Options that were given, without the undefined ones. */
type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };
const split = (): Option =>
  new Option("--split <split>", "which rollouts").choices(["train", "selection"]).default("selection");

program
  .command("init [dir]")
  .description("make a project to start from")
  .addOption(new Option("--template <template>", "which one").choices(Object.keys(templates)).default("swe"))
  .action((dir: string | undefined, o: { template: Template }) =>
    init(io(), dir ?? cwd, { template: o.template, examples: join(__dirname, "examples") }),
  );

program
  .command("check")
  .description("check every spec of the project")
  .addOption(new Option("--format <format>", "how to print").choices(checkFormats).default("text"))
  .action(async (o: { format: CheckFormat }) => exitWith(await check(io(), cwd, o)));

program
  .command("validate <file...>")
  .description("hold evidence files to the contract")
  .action(async (files: string[]) => exitWith(await validate(io(), files)));

program
  .command("diagnose [version]")
  .description("scores, signals, behaviours, labels, alerts, rules")
  .addOption(split())
  .action(async (version: string | undefined, o: { split: "train" | "selection" }) =>
    exitWith(await diagnose(io(), cwd, { ...(version === undefined ? {} : { version }), ...o })),
  );

const list = program
  .command("rollouts")
  .description("list the rollouts of a version; `rollouts show <run>/<id>` prints one trajectory");
list
  .command("list [version]", { isDefault: true })
  .description("list and page")
  .addOption(split())
  .option("--label <label>", "only those that carry it")
  .option("--where <cel>", "only those where a CEL condition holds")
  .option("--limit <n>", "how many", positive, 20)
  .option("--cursor <cursor>", "the next page, as the page before printed it")
  .action(
    (
      version: string | undefined,
      o: Given<{
        split: "train" | "selection";
        limit: number;
        label?: string;
        where?: string;
        cursor?: string;
      }>,
    ) => rollouts(io(), cwd, { ...(version === undefined ? {} : { version }), ...o }),
  );
list
  .command("show <rollout>")
  .description("print one trajectory")
  .action((rollout: string) => showRollout(io(), cwd, rollout));

program
  .command("compare <a> <b>")
  .description("paired comparison with interval, verdict and items needed")
  .option("--flips", "list the items whose passes changed", false)
  .action((a: string, b: string, o: { flips: boolean }) => compare(io(), cwd, { a, b, ...o }));

program
  .command("lineage")
  .description("versions, decisions, why")
  .option("--dot", "as a Graphviz graph", false)
  .action((o: { dot: boolean }) => lineage(io(), cwd, o));

program
  .command("review <version> <answer>")
  .description("answer the gate of a version: approve or reject")
  .option("--comment <text>", "why")
  .action((version: string, answer: string, o: { comment?: string }) => {
    if (answer !== "approve" && answer !== "reject")
      throw new HarnessError("badInput", `The answer is approve or reject, not ${answer}.`);
    return review(io(), cwd, { version, answer, ...o });
  });

program
  .command("evolve")
  .description("run the loop, or go on with it")
  .option("--generations <n>", "how many generations", positive)
  .addOption(new Option("--autonomy <who>", "who answers the gates").choices(["full", "human_gated"]))
  .option(
    "--approve",
    "approve every gate of this run in advance, within the budgets of evotrainer.yaml",
    false,
  )
  .option("--restart", "start a new evolution from HEAD; the old one stays in the lineage", false)
  .action(
    async (
      o: Given<{
        generations?: number;
        autonomy?: "full" | "human_gated";
        approve: boolean;
        restart: boolean;
      }>,
    ) => exitWith(await evolve(io(), cwd, o)),
  );

program
  .command("jobs")
  .description("jobs of this project and how they ended")
  .option("--quarantine", "instead the lines of evidence that were set aside, and why", false)
  .action((o: { quarantine: boolean }) => (o.quarantine ? quarantine(io(), cwd) : jobs(io(), cwd)));
program
  .command("logs <job>")
  .description("what a job printed")
  .option("-f, --follow", "go on as it prints more", false)
  .action((job: string, o: { follow: boolean }) => logs(io(), cwd, job, o));
program
  .command("cancel <job>")
  .description("stop a job")
  .action((job: string) => cancel(io(), cwd, job));

for (const verb of [program, list, ...program.commands, ...list.commands]) verb.exitOverride();

function exitWith(code: number): void {
  process.exitCode = code;
}

// A reader that went away (`| head`) is no error.
process.stdout.on("error", (e: NodeJS.ErrnoException) => {
  if (e.code === "EPIPE") process.exit(0);
  throw e;
});

program.parseAsync().catch((e: unknown) => {
  if (e instanceof CommanderError) {
    exitWith(e.exitCode === 0 ? exitCodes.success : exitCodes.usage);
    return;
  }
  if (HarnessError.is(e)) process.stderr.write(`${messageOf(e)}\n`);
  else
    process.stderr.write(
      `This is a fault of evotrainer, please report it: ${e instanceof Error ? (e.stack ?? e.message) : String(e)}\n`,
    );
  exitWith(exitCodeOf(e));
});
