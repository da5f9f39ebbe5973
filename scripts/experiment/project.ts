import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Arm } from "./arms.ts";
import { harnessFiles, withValues, type Harness } from "./harness.ts";
import { cacheFolder, root, skillsFolder } from "./paths.ts";
import { cellName, searchSeeds, type Cell, type Plan } from "./plan.ts";

/** A program that ended with another exit code than it may: what it was and what it said. */
export class ProgramFailed extends Error {}

/** Runs a program to its end and answers what it printed. @throws ProgramFailed */
export function runProgram(
  command: readonly string[],
  {
    cwd,
    environment = {},
    may = [0],
  }: { cwd: string; environment?: NodeJS.ProcessEnv; may?: readonly number[] },
): string {
  const [program = "", ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...{ cwd, encoding: "utf8", maxBuffer: 1 << 28 },
    env: { ...process.env, ...environment },
  });
  if (status !== null && may.includes(status)) return stdout;
  const said = (stderr || stdout || error?.message || "").trim().split("\n").slice(-6).join("\n");
  throw new ProgramFailed(
    `${command.slice(0, 6).join(" ")} in ${cwd} ended with ${status ?? "a signal"}:\n${said}`,
  );
}

/** Runs the engine with a library of skills that is empty unless one is named: the library of whoever runs this takes no part. */
export const evotrainer = (
  cwd: string,
  args: readonly string[],
  may?: readonly number[],
  library = join(root, "out/experiment/no-skills"),
): string =>
  runProgram([process.execPath, join(root, "dist/cli.cjs"), ...args], {
    ...{ cwd, environment: { EVOTRAINER_SKILLS: library } },
    ...(may === undefined ? {} : { may }),
  });

/** Settings that all searches share: one change at a time, tested as `testing` says, and nothing that a clock decides. */
function settingsFor(
  { trainings }: Plan,
  { seed }: Cell,
  arm: Arm,
  cache: string,
  name: string,
): Record<string, unknown> {
  return {
    "trainer.command": ["node", "trainer/cached.mjs"],
    "trainer.seeds": searchSeeds(seed, 1),
    "trainer.environment": { EXPERIMENT_TRAININGS: cache, EXPERIMENT_CELL: name },
    "trainer.writable": [cache],
    // A copied training is over at once: how long one took must decide nothing.
    "testing.racing": false,
    "testing.seeds": 3,
    // With 5 %, sixteen trainings could keep next to nothing: docs/experiment-plan.md.
    "testing.errorRate": 0.2,
    // A candidate that is trained on three seeds needs three of its parent anyway.
    "testing.calibrationSeeds": 3,
    "search.costs": "off",
    "gates.autonomy": "full",
    "gates.firstVersionsGated": 0,
    "gates.escalateAfterFailures": 1000,
    // A change that the archive speaks against takes a generation and no training.
    "budgets.generations": 4 * trainings,
    "budgets.variantsPerGeneration": 1,
    "budgets.parallelJobs": 1,
    "budgets.trainings": trainings,
    ...arm.settings,
  };
}

/**
 * Makes the project of a cell from its template, once: with the arm's settings, a trainer that copies what was computed
 * before, and in a trial with smaller trainings. Answers its folder.
 */
export function makeProject(plan: Plan, cell: Cell, arm: Arm, folder: string): string {
  const ready = join(folder, ".git", "experiment-ready");
  if (existsSync(ready)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  evotrainer(dirname(folder), ["init", folder, "--template", cell.domain]);
  const cache = cacheFolder(plan.name);
  mkdirSync(cache, { recursive: true });
  copyFileSync(join(import.meta.dirname, "cachedTrainer.mjs"), join(folder, "trainer/cached.mjs"));
  const file = join(folder, "evotrainer.yaml");
  const settings = settingsFor(plan, cell, arm, cache, cellName(cell));
  writeFileSync(
    file,
    withValues(readFileSync(file, "utf8"), settings).replace(
      "    - trainer/trainer.mjs\n",
      "    - trainer/trainer.mjs\n    - trainer/cached.mjs\n",
    ),
  );
  if (plan.small !== null) makeSmall(folder, plan.small);
  if (arm.hasSkills) for (const skill of skillFiles()) evotrainer(folder, ["skills", "import", skill]);
  const git = (...args: string[]): string => runProgram(["git", ...args], { cwd: folder });
  git("add", "-A");
  git("commit", "-qm", `The arm ${cellName(cell)} of the experiment`);
  writeFileSync(ready, "");
  return folder;
}

/** The files of experiment/skills, or of another folder. */
export const skillFiles = (folder = skillsFolder): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".skill.yaml"))
    .sort()
    .map((name) => join(folder, name));

function makeSmall(
  folder: string,
  { steps, demonstrations, prompts, items }: NonNullable<Plan["small"]>,
): void {
  const train = join(folder, "harness/train.yaml");
  writeFileSync(
    train,
    withValues(readFileSync(train, "utf8"), {
      ...{ steps, prompts, "warmup.demonstrations": demonstrations },
      ...{ "evidence.every": 1, "evidence.checkpointEvery": steps },
    }),
  );
  for (const split of ["train", "selection", "audit"]) {
    const file = join(folder, `data/${split}.jsonl`);
    writeFileSync(file, `${readFileSync(file, "utf8").split("\n").slice(0, items).join("\n")}\n`);
  }
}

/** The harness of a commit, or of the work tree. */
export function harnessAt(project: string, commit = "HEAD"): Harness {
  const read = (name: string): string =>
    runProgram(["git", "show", `${commit}:harness/${name}.yaml`], { cwd: project });
  const [reward, train, environment, curriculum, evaluation] = harnessFiles.map(read);
  return {
    "main.reward": reward ?? "",
    train: train ?? "",
    environment: environment ?? "",
    curriculum: curriculum ?? "",
    evaluation: evaluation ?? "",
  };
}
