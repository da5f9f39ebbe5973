import { createRequire } from "node:module";
import { execFile } from "node:child_process";
import { cp, mkdir, readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { codeOf, HarnessError, messageOf } from "../../base/errors.ts";
import type { Template } from "../terminal/choices.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { Option } from "commander";
import { templateNames } from "../terminal/choices.ts";
import type { AddVerb } from "../terminal/verb.ts";

export const addInit: AddVerb = (program, { io, cwd, examples }) => {
  program
    .command("init [dir]")
    .description("make a project to start from")
    .addOption(new Option("--template <template>", "which one").choices(templateNames).default("swe"))
    .action(async (dir: string | undefined, o: { template: Template }) =>
      init(io(), dir ?? cwd, { template: o.template, examples }),
    );
};

const run = promisify(execFile);

const folders: Readonly<Record<Template, string>> = {
  swe: "swe-gym",
  trl: "trl-grpo",
  verl: "verl",
  roll: "roll",
};

/**
 * Makes a project from a template: its files, and a git repository with one commit.
 * @throws HarnessError badInput, gitMissing, gitFailed
 */
export async function init(
  io: Io,
  folder: string,
  options: { template: Template; examples: string },
): Promise<void> {
  const target = resolve(folder);
  const present = await readdir(target).catch((e: unknown) => {
    if (codeOf(e) === "ENOENT") return [];
    throw new HarnessError("badInput", `${target} cannot be used as a project folder: ${messageOf(e)}.`, {
      cause: e,
    });
  });
  if (present.length > 0)
    throw new HarnessError(
      "badInput",
      `${target} is not empty; name a folder that is empty or does not exist yet.`,
    );
  await mkdir(target, { recursive: true });
  const example = join(options.examples, folders[options.template]);
  await cp(example, target, { recursive: true });
  // That of one example is larger than what makes it.
  if (options.template === "swe") writeData(`${example}.data.cjs`, join(target, "data"));
  await git(target, "init", "--quiet", "--initial-branch=main");
  await git(target, "add", "--all");
  await git(
    target,
    ...(await identity(target)),
    "commit",
    "--quiet",
    "--no-verify",
    "--message",
    `Start from the ${folders[options.template]} template`,
  );
  printResult(
    io,
    { folder: target, template: options.template },
    ({ folder }) => `Made ${basename(folder)} in ${folder}. Next: cd there and ${next(options.template)}.`,
  );
}

/** What a template still needs before it can run. */
function next(template: Template): string {
  return template === "swe" ? "run `evotrainer evolve`" : "read README.md";
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
