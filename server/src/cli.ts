import { join, resolve } from "node:path";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { Outcome } from "../../shared/model/rollout.ts";
import { HarnessError, messageOf } from "./base/errors.ts";
import { release } from "./base/release.ts";
import {
  checkFormats,
  flowChoices,
  outcomeNames,
  templateNames,
  type CheckFormat,
  type Template,
} from "./commands/terminal/choices.ts";
import { exitCodeOf, exitCodes, type Io } from "./commands/terminal/io.ts";
import type { BacktestOptions } from "./commands/backtest/backtestOptions.ts";
import { addHostVerbs } from "./commands/jobs/hostVerbs.ts";
import { addJobVerbs } from "./commands/jobs/jobVerbs.ts";
import { addReviewVerbs } from "./commands/review/reviewVerbs.ts";
import type { CompareFlags } from "./commands/versions/compareFlags.ts";
import type { FlowBy } from "./changes/failureClass.ts";
import { metricNames } from "./statistics/scores/metric.ts";
import { rolloutOrders } from "../../shared/model/rolloutOrders.ts";
import type { RolloutOrder } from "./evidence/queries/rolloutOrder.ts";

/** A verb's code is loaded when the verb is asked for, so that each one starts fast. */
const load = {
  archive: () => import("./commands/evidence/archive.ts"),
  backtest: () => import("./commands/backtest/backtest.ts"),
  check: () => import("./commands/project/check.ts"),
  compare: () => import("./commands/versions/compare.ts"),
  diagnose: () => import("./commands/versions/diagnose.ts"),
  evolve: () => import("./commands/evolution/evolve.ts"),
  flow: () => import("./commands/versions/flow.ts"),
  import: () => import("./commands/evidence/import.ts"),
  init: () => import("./commands/project/init.ts"),
  annotate: () => import("./commands/versions/annotateVersion.ts"),
  label: () => import("./commands/evidence/label.ts"),
  lineage: () => import("./commands/versions/lineage.ts"),
  mcp: () => import("./commands/project/mcp.ts"),
  predictions: () => import("./commands/versions/predictions.ts"),
  rollouts: () => import("./commands/evidence/rollouts.ts"),
  validate: () => import("./commands/evidence/validate.ts"),
};

const cwd = process.cwd();
const program = new Command("evotrainer")
  .description("Evolve a policy together with its training harness.")
  // Not --version: this option would be taken for the one of `import`, wherever it stands.
  .version(release, "-V", "print the release, as --version does")
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
  if (!Number.isInteger(n) || n < 1) throw new InvalidArgumentError("give a whole number of at least 1.");
  return n;
}

function stepChoice(text: string): "all" | "last" | "best" | number {
  if (text === "all" || text === "last" || text === "best") return text;
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("give all, last, best, or a training step.");
  return Number(text);
}

const collect = (text: string, before: readonly string[]): readonly string[] => [...before, text];

function hostNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("give names separated by commas.");
  return names;
}

function numbers(text: string): number[] {
  return text.split(",").map(positive);
}

/** Options that were given, without the undefined ones. */
type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };
type LineageArguments = [
  what: string | undefined,
  version: string | undefined,
  words: string[],
  options: Given<{ dot: boolean; domain?: string; predictions: boolean }>,
];
const split = (): Option =>
  new Option("--split <split>", "which rollouts; by default selection if there are any, else train").choices([
    "train",
    "selection",
  ]);

program
  .command("init [dir]")
  .description("make a project to start from")
  .addOption(new Option("--template <template>", "which one").choices(templateNames).default("swe"))
  .action(async (dir: string | undefined, o: { template: Template }) =>
    (await load.init()).init(io(), dir ?? cwd, {
      template: o.template,
      examples: join(__dirname, "examples"),
    }),
  );

program
  .command("check")
  .description("check every spec of the project")
  .addOption(new Option("--format <format>", "how to print").choices(checkFormats).default("text"))
  .action(async (o: { format: CheckFormat }) => exitWith(await (await load.check()).check(io(), cwd, o)));

program
  .command("lsp")
  .description("run the language server for an editor, by default on standard input and output")
  .option("--stdio", "on standard input and output")
  .option("--socket <port>", "on a port that the editor listens on")
  .option("--pipe <name>", "on a socket or named pipe that the editor listens on")
  .option("--clientProcessId <pid>", "end when this process ends")
  .action(async (o: Given<{ socket?: string; pipe?: string }>) => {
    // The server reads the same options from the command line.
    if (o.socket === undefined && o.pipe === undefined) process.argv.push("--stdio");
    await import("./main.ts");
  });

program
  .command("mcp")
  .description("serve the tools for an assistant that speaks MCP, on standard input and output")
  .option("--project <folder>", "the project; by default the one around the current folder")
  .action(async ({ project }: { project?: string }) => (await load.mcp()).mcp(resolve(cwd, project ?? ".")));

program
  .command("import <path...>")
  .description("import evidence of any known format into the archive, and report what it lacks")
  .option("--as <format>", "read every file in this format, or as this mapping (*.evidence.yaml) says")
  .option("--version <version>", "the version that the evidence belongs to; one per run by default")
  .option("--run <run>", "the run that all files belong to")
  .addOption(
    new Option("--split <split>", "the split of all rollouts").choices(["train", "selection", "audit"]),
  )
  .option("--domain <domain>", "the domain for a lineage; by default the lineage's name")
  .option("--pass-when <cel>", "what counts as solved if the source has no verdict, e.g. 'reward >= 1.0'")
  .action(
    async (
      paths: string[],
      o: Given<{
        as?: string;
        domain?: string;
        version?: string;
        run?: string;
        split?: "train" | "selection" | "audit";
        passWhen?: string;
      }>,
    ) => exitWith(await (await load.import()).importPaths(io(), cwd, paths, o)),
  );

program
  .command("validate <file...>")
  .description("check evidence files against the contract")
  .action(async (files: string[]) => exitWith(await (await load.validate()).validate(io(), files)));

program
  .command("diagnose [version]")
  .description("scores, signals, behaviours, labels, alerts, rules")
  .addOption(split())
  .action(async (version: string | undefined, o: Given<{ split?: "train" | "selection" }>) =>
    exitWith(
      await (
        await load.diagnose()
      ).diagnose(io(), cwd, { ...(version === undefined ? {} : { version }), ...o }),
    ),
  );

const list = program
  .command("rollouts")
  .description("list the rollouts of a version; `rollouts show <run>/<id>` prints one trajectory");
list
  .command("list [version]", { isDefault: true })
  .description("list and page")
  .addOption(split())
  .addOption(new Option("--outcome <outcome>", "only rollouts with this outcome").choices(outcomeNames))
  .option("--item <item>", "only rollouts of this item")
  .option("--group <group>", "only rollouts of this group")
  .option("--label <label>", "only rollouts with this label")
  .option("--where <cel>", "only rollouts for which this CEL condition holds")
  .option("--search <text>", "only rollouts with this text, or /expression/, in a turn; the newest first")
  .option("-i, --ignore-case", "search without regard to case", false)
  .addOption(
    new Option("--sort <column>", "what to sort by; rollouts without a value come last").choices(
      rolloutOrders,
    ),
  )
  .option("--desc", "the largest first", false)
  .option("--limit <n>", "how many", positive, 20)
  .option("--cursor <cursor>", "the next page, from the cursor that the page before printed")
  .action(
    async (
      version: string | undefined,
      o: Given<{
        split?: "train" | "selection";
        limit: number;
        outcome?: Outcome;
        item?: string;
        group?: string;
        label?: string;
        search?: string;
        ignoreCase: boolean;
        sort?: RolloutOrder;
        desc: boolean;
        where?: string;
        cursor?: string;
      }>,
    ) => (await load.rollouts()).rollouts(io(), cwd, { ...(version === undefined ? {} : { version }), ...o }),
  );
list
  .command("show <rollout>")
  .description("print one trajectory")
  .action(async (rollout: string) => (await load.rollouts()).showRollout(io(), cwd, rollout));

program
  .command("label <version> <rollout> <label> <answer>")
  .description(
    "say yes or no: does a rollout, <run>/<id>, have a label? EvoTrainer checks the label's judge against what people say",
  )
  .option("--note <text>", "why")
  .action(
    async (version: string, rollout: string, label: string, answer: string, o: Given<{ note?: string }>) =>
      (await load.label()).label(io(), cwd, { version, rollout, label, answer, ...o }),
  );

program
  .command("backtest <spec>")
  .description(
    "try a spec on the archive: a diagnostic on past versions, a reward and its filter on archived rollouts",
  )
  .option("--against <versions>", "versions separated by commas, or all")
  .addOption(new Option("--split <split>", "which rollouts").choices(["train", "selection"]))
  .option("--turn-limits <n>", "reward: how many successes turn limits such as 15,20 would cut", numbers)
  .option("--token-limits <n>", "reward: the same for generated tokens", numbers)
  .option(
    "--approve <why>",
    "diagnostic: accept that a quarantined version is let through, and record the reason",
  )
  .action(async (spec: string, o: Given<Omit<BacktestOptions, "spec">>) =>
    exitWith(await (await load.backtest()).backtest(io(), cwd, { spec, ...o })),
  );

program
  .command("compare <a> <b>")
  .description("paired comparison with interval, verdict and items needed")
  .option("--metric <metric>", `what is compared: ${metricNames}`)
  .option(
    "--step <step>",
    "which evaluations: all, the last, the best of each version, or a step",
    stepChoice,
  )
  .option("--picked-from <m>", "b is the best of m versions; by default as many as the lineage has", positive)
  .option(
    "--guardrail <metric tolerance>",
    "what may get worse, and by how much, such as 'tokens_mean 50'",
    collect,
    [],
  )
  .option("--candidates", "list the versions that b was picked from", false)
  .option(
    "--profile",
    "print, for several shares, how many items each version solves more often than that",
    false,
  )
  .option("--flips", "list the items whose passes changed", false)
  .addOption(
    new Option("--flow [by]", "show instead where items and rollouts went, with failures split by this")
      .choices(flowChoices)
      .preset("outcome"),
  )
  .option("--labels", "show instead how often each label holds before and after", false)
  .action(async (a: string, b: string, o: Given<CompareFlags> & { flow?: FlowBy; labels: boolean }) => {
    const { flow, labels, ...rest } = o;
    if (flow !== undefined) await (await load.flow()).flow(io(), cwd, { a, b, by: flow });
    else if (labels) await (await load.flow()).labels(io(), cwd, { a, b });
    else await (await load.compare()).compare(io(), cwd, { a, b, ...rest });
  });

program
  .command("lineage [what] [version] [words...]")
  .description(
    "show versions, decisions and why; or annotate a version: note, tag, untag, name <version> <words>",
  )
  .option("--dot", "as a Graphviz graph", false)
  .option("--domain <domain>", "an imported lineage; by default the project's")
  .option("--predictions", "show instead what was predicted for each version, and what came true", false)
  .action(async (...[what, version, words, { predictions, ...o }]: LineageArguments) => {
    if (what !== undefined)
      await (await load.annotate()).annotateVersion(io(), cwd, { what, version, words });
    else if (predictions) await (await load.predictions()).predictions(io(), cwd);
    else await (await load.lineage()).lineage(io(), cwd, o);
  });

addReviewVerbs(program, { io, cwd, positive, collect });

addHostVerbs(program, { io, cwd, positive, exitWith });

program
  .command("evolve")
  .description("run the loop, or continue it")
  .option("--generations <n>", "how many generations", positive)
  .addOption(new Option("--autonomy <who>", "who answers the gates").choices(["full", "human_gated"]))
  .option(
    "--approve",
    "approve every gate of this run in advance, within the budgets of evotrainer.yaml",
    false,
  )
  .option("--restart", "start a new evolution from HEAD; the old one stays in the lineage", false)
  .option(
    "--host <names>",
    "run the jobs on these hosts of evotrainer.yaml, such as 'gpu1,gpu2,here', or on any",
    hostNames,
  )
  .action(
    async (
      o: Given<{
        host?: string[];
        generations?: number;
        autonomy?: "full" | "human_gated";
        approve: boolean;
        restart: boolean;
      }>,
    ) => exitWith(await (await load.evolve()).evolve(io(), cwd, o)),
  );

addJobVerbs(program, { io, cwd, exitWith });

const archive = program
  .command("archive")
  .description("the index over all evidence: what it holds, and how much disk space it takes");
archive
  .command("status", { isDefault: true })
  .description("size, rows per version, missing files")
  .action(async () => (await load.archive()).status(io(), cwd));
archive
  .command("forget [version]")
  .description("drop a version's evidence from the archive; the files stay")
  .option("--run <run>", "one run instead")
  .option("--delete-files", "also delete its files in .evotrainer", false)
  .action(async (version: string | undefined, o: Given<{ run?: string; deleteFiles: boolean }>) =>
    (await load.archive()).forgetEvidence(io(), cwd, { ...(version === undefined ? {} : { version }), ...o }),
  );
archive
  .command("trim <version...>")
  .description("drop the text of a version's training rollouts; scores, labels and features stay")
  .option("--before <date>", "only of rollouts that began before")
  .action(async (versions: string[], o: Given<{ before?: string }>) =>
    (await load.archive()).trimText(io(), cwd, { versions, ...o }),
  );
archive
  .command("compact")
  .description("free the disk space of what was dropped")
  .action(async () => (await load.archive()).compact(io(), cwd));
archive
  .command("rebuild")
  .description("rebuild the archive from the registered files")
  .action(async () => exitWith(await (await load.archive()).rebuild(io(), cwd)));

for (const verb of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
  verb.exitOverride();

function exitWith(code: number): void {
  process.exitCode = code;
}

// A reader that went away (`| head`) is no error.
process.stdout.on("error", (e: NodeJS.ErrnoException) => {
  if (e.code === "EPIPE") process.exit(0);
  throw e;
});

// Standing first it asks for the release; behind a verb it is the verb's own.
const argv = process.argv.map((word, i) => (i === 2 && word === "--version" ? "-V" : word));

program.parseAsync(argv).catch((e: unknown) => {
  if (e instanceof CommanderError) {
    exitWith(e.exitCode === 0 ? exitCodes.success : exitCodes.usage);
    return;
  }
  if (HarnessError.is(e)) process.stderr.write(`${messageOf(e)}\n`);
  else
    process.stderr.write(
      `This is a bug in evotrainer, please report it: ${e instanceof Error ? (e.stack ?? e.message) : String(e)}\n`,
    );
  exitWith(exitCodeOf(e));
});
