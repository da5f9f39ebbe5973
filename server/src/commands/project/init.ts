import { createRequire } from "node:module";
import { execFile } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { copyFile, cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { codeOf, HarnessError, messageOf } from "../../base/errors.ts";
import { missingKeysIn } from "../../project/missingKeys.ts";
import { loadProjectSpec, projectFile } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import type { Template } from "../terminal/choices.ts";
import { inspect } from "../terminal/inspect.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { showProgress } from "../terminal/progressLine.ts";
import { Option } from "commander";
import { templateNames } from "../terminal/choices.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";
import { exampleSigner, layOut } from "./finishedExample.ts";
import { initFrom, type FromOptions } from "./initFrom.ts";
import { scriptSteps, withCommand } from "./scriptTemplate.ts";

export const addInit: AddVerb = (program, { io, cwd, examples }) => {
  program
    .command("init [dir]")
    .description(
      "make a project to start from, or add one to a folder that you already have; no file is overwritten",
    )
    .addOption(new Option("--template <template>", "which one").choices(templateNames).default("swe"))
    .option("--finished", "with --template swe: as an evolution left it, to look around in", false)
    .option("--command <command>", "with --template script: the command that trains, e.g. 'python train.py'")
    .option(
      "--from <paths...>",
      "read launch scripts, settings and runs instead of a template, oldest run first",
    )
    .option("--pass-when <cel>", "with --from: what counts as solved, if the runs do not say")
    .option("--dry-run", "with --from: show what would be written, and write nothing", false)
    .option("--yes", "with --from: accept the plan without asking", false)
    .action(async (dir: string | undefined, { from, dryRun, yes, passWhen, ...o }: Given<InitFlags>) => {
      const idle =
        from === undefined ? dryRun || yes || passWhen !== undefined : o.command !== undefined || o.finished;
      if (idle)
        throw new HarnessError(
          "badInput",
          "--dry-run, --yes and --pass-when belong to --from, --command to --template script, and --finished to --template swe.",
        );
      if (from === undefined) return init(io(), dir ?? cwd, { ...o, examples });
      const how = { from, dryRun, yes, examples, ...(passWhen === undefined ? {} : { passWhen }) };
      return initFrom(io(), cwd, dir ?? ".", how);
    });
};

interface InitFlags extends Omit<FromOptions, "from" | "passWhen" | "examples"> {
  readonly template: Template;
  readonly finished: boolean;
  readonly command?: string;
  readonly from?: string[];
  readonly passWhen?: string;
}

const run = promisify(execFile);

const folders: Readonly<Record<Template, string>> = {
  swe: "swe-gym",
  math: "math-gym",
  code: "code-gym",
  trl: "trl-grpo",
  countdown: "countdown-torch",
  verl: "verl",
  roll: "roll",
  script: "script",
};

interface Made {
  readonly folder: string;
  readonly template: Template;
  /** Paths in the folder, sorted. */
  readonly added: readonly string[];
  /** Files of the same names that were there before, and are as they were. */
  readonly kept: readonly string[];
  readonly committed: boolean;
  /** Of a script of the user's: the files that its command names. */
  readonly commandFiles: readonly string[] | null;
  /** Keys that evotrainer.yaml names and a file that was kept lacks, a sentence each. */
  readonly missingKeys: readonly string[];
}

interface InitOptions {
  readonly template: Template;
  readonly examples: string;
  /** Whether the example is to be there as an evolution left it. */
  readonly finished: boolean;
  readonly command?: string;
}

/**
 * Makes a project from a template. A folder that is empty gets a git repository with one commit. To any other the files
 * are added that it lacks: nothing is overwritten, and nothing committed.
 * @throws HarnessError badInput, gitMissing, gitFailed
 */
export async function init(io: Io, folder: string, options: InitOptions): Promise<void> {
  const { template, command, finished } = options;
  if (finished && template !== "swe")
    throw new HarnessError(
      "badInput",
      "--finished belongs to --template swe: only that example is finished.",
    );
  if (command !== undefined && template !== "script")
    throw new HarnessError(
      "badInput",
      "--command belongs to --template script; the other templates have a trainer.",
    );
  const target = resolve(folder);
  const present = await filesThere(target);
  if (present.includes(projectFile))
    throw new HarnessError("badInput", `${target} has an ${projectFile} already; it is a project.`);
  await mkdir(target, { recursive: true });
  if (finished) return initFinished(io, target, present.length === 0, options);
  const { added, kept, commandFiles } = await fill(target, options);
  const committed = present.length === 0;
  if (committed) await firstCommit(target, folders[template]);
  const tree = workTree(target);
  // A file that was there before is not the template's, so that it may lack what the project names.
  const missing = kept.length === 0 ? [] : await missingKeysIn(await loadProjectSpec(tree), tree);
  const missingKeys = missing.map(({ message }) => message);
  const made: Made = { folder: target, template, added, kept, committed, commandFiles, missingKeys };
  printResult(io, made, (shown) => told(shown));
}

async function initFinished(
  io: Io,
  folder: string,
  isEmpty: boolean,
  { template, examples }: InitOptions,
): Promise<void> {
  if (!isEmpty)
    throw new HarnessError("badInput", `${folder} is not empty; name a new folder for the finished example.`);
  await layOut(join(examples, `${folders[template]}.finished`), folder);
  // Whoever waits for the project can open it now: the editor loads a window while the rollouts are labelled.
  printResult(io, { folder, template, finished: true }, () =>
    [
      `Made ${basename(folder)} in ${folder}, as an evolution left it.`,
      `You trust the key that signed its ledger from now on (\`evotrainer trust\` calls it "${exampleSigner}"); nobody has that key any more.`,
      "Next: cd there and run `evotrainer lineage`, or open the folder in the editor.",
    ].join(" "),
  );
  // With the archive and the labels every view has its answers at once.
  showProgress(io, "Labelling its rollouts");
  await inspect(folder, ({ engine }) => engine.request("versions.label", {})).finally(() =>
    showProgress(io, ""),
  );
}

async function filesThere(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (e) {
    if (codeOf(e) === "ENOENT") return [];
    throw new HarnessError("badInput", `${folder} cannot be used as a project folder: ${messageOf(e)}.`, {
      cause: e,
    });
  }
}

/** Adds the files of the template that the folder lacks. @throws HarnessError badInput */
async function fill(
  target: string,
  { template, examples, command }: InitOptions,
): Promise<Pick<Made, "added" | "kept" | "commandFiles">> {
  const stage = await mkdtemp(join(tmpdir(), "evotrainer-init-"));
  try {
    const example = join(examples, folders[template]);
    await cp(example, stage, { recursive: true });
    // Where a program makes the data, it is smaller than what it makes.
    const program = `${example}.data.cjs`;
    if (existsSync(program)) writeData(program, join(stage, "data"));
    const commandFiles =
      command === undefined ? null : await withCommand(stage, { command, target, examples });
    const [added, kept]: [string[], string[]] = [[], []];
    for (const path of (await filesBelow(stage)).sort())
      ((await addFile(join(stage, path), join(target, path))) ? added : kept).push(path);
    return { added, kept, commandFiles };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

/** Whether it was added; false where something of that name is there. */
async function addFile(from: string, to: string): Promise<boolean> {
  try {
    await mkdir(dirname(to), { recursive: true });
    await copyFile(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (e) {
    if (codeOf(e) === "EEXIST") return false;
    throw new HarnessError("badInput", `${to} cannot be written: ${messageOf(e)}.`, { cause: e });
  }
}

async function firstCommit(target: string, name: string): Promise<void> {
  await git(target, "init", "--quiet", "--initial-branch=main");
  await git(target, "add", "--all");
  const message = `Start from the ${name} template`;
  await git(
    target,
    ...(await identity(target)),
    ...["commit", "--quiet", "--no-verify", "--message", message],
  );
}

function told(made: Made): string {
  const { folder, template, added, kept, committed, commandFiles, missingKeys } = made;
  const steps = template === "script" ? scriptSteps(commandFiles) : [];
  if (committed)
    return template === "script"
      ? [`Made ${basename(folder)} in ${folder}.`, ...steps].join("\n")
      : `Made ${basename(folder)} in ${folder}. Next: cd there and ${next(template)}.`;
  return [
    `Added to ${folder}:`,
    ...added.map((path) => `  ${path}`),
    ...(kept.length === 0 ? [] : ["Not overwritten, so yours may not fit the template:"]),
    ...kept.map((path) => `  ${path}`),
    ...(missingKeys.length === 0
      ? []
      : ["Put your own keys into `surfaces` and `frozen` of evotrainer.yaml:"]),
    ...missingKeys.map((message) => `  ${message}`),
    ...(commandFiles === null ? [] : steps),
    `Nothing was committed. Next: adapt evotrainer.yaml, run \`evotrainer check\`, commit the files to git, and ${next(template)}.`,
  ].join("\n");
}

/** What a template still needs before it can run. */
function next(template: Template): string {
  return template === "swe" || template === "script" ? "run `evotrainer evolve`" : "read README.md";
}

/** The data of an example, by the program that made it. */
function writeData(program: string, folder: string): void {
  const made: unknown = createRequire(program)(program);
  if (
    typeof made !== "object" ||
    made === null ||
    !("writeSplits" in made) ||
    typeof made.writeSplits !== "function"
  )
    throw new HarnessError(
      "badInput",
      `${program} does not belong to this release; install EvoTrainer again.`,
    );
  Reflect.apply(made.writeSplits, undefined, [folder]);
}

/** A fallback identity where the user has configured none, so that the first commit can be made. */
async function identity(folder: string): Promise<string[]> {
  const name = await run("git", ["config", "user.email"], { cwd: folder }).catch(() => undefined);
  return name === undefined ? ["-c", "user.name=EvoTrainer", "-c", "user.email=evotrainer@localhost"] : [];
}

async function git(cwd: string, ...args: string[]): Promise<void> {
  try {
    await run("git", args, { cwd });
  } catch (e) {
    if (codeOf(e) === "ENOENT")
      throw new HarnessError(
        "gitMissing",
        "git was not found; install git 2.25 or newer and put it on PATH.",
        { cause: e },
      );
    throw new HarnessError(
      "gitFailed",
      `git ${args.find((a) => !a.startsWith("-") && !a.includes("=")) ?? ""} failed in ${cwd}: ${messageOf(e)}`,
      { cause: e },
    );
  }
}
