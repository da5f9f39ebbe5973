import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const items = (split: string, n: number): string =>
  Array.from({ length: n }, (_, i) => `{"id":"${split}-${i}"}\n`).join("");

const intervention = (
  name: string,
  targets: string,
  path: string,
  from: string | number,
  to: string | number,
  factor = "reward",
): string => `apiVersion: evotrainer/v1
kind: Intervention
name: ${name}
hypothesis: { change: ${path}, metric: solve_rate, direction: increase, because: it should }
targets: [${targets}]
factor: ${factor}
edit: [{ file: harness/toy.yaml, path: ${path}, from: ${from}, to: ${to} }]
success: { atLeast: 0.02 }
`;

const diagnostic = (name: string, label: string): string => `apiVersion: evotrainer/v1
kind: Diagnostic
name: ${name}
label: ${label}
alert: { above: 0.1, critical: 0.5 }
`;

/** A small project whose trainer takes milliseconds: the loop is real, the training is not. */
export const toyFiles: Readonly<Record<string, string>> = {
  "evotrainer.yaml": `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, trainer.mjs], budgetSeconds: 60 }
evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
  files: [trainer.mjs]
surfaces:
  - { factor: reward, file: harness/toy.yaml, paths: [shape, bonus] }
  - { factor: environment, file: harness/toy.yaml, paths: [history] }
  - { factor: optimisation, file: harness/toy.yaml, paths: [speed] }
gates: { autonomy: full, firstVersionsGated: 0, escalateAfterFailures: 99 }
budgets: { generations: 2, variantsPerGeneration: 3, parallelJobs: 2 }
testing: { seeds: 3, calibrationSeeds: 2 }
`,
  "harness/toy.yaml": `# knobs of the toy trainer
shape: flat
bonus: 0
history: hidden
speed: slow
step_ms: 30
fault: none
fault_base: no
`,
  "harness/diagnostics/leak.diagnostic.yaml": diagnostic(
    "leak",
    `{ when: 'outcome == "pass" && turns.exists(t, t.tool == "history" && t.ok)', evidence: 'turn.tool == "history"', severity: critical, invalidates: true }`,
  ),
  "harness/diagnostics/echo-trap.diagnostic.yaml": diagnostic(
    "echo-trap",
    `{ when: 'longest_tool_streak >= 8', evidence: 'turn.tool == streak_tool' }`,
  ),
  "harness/interventions/linear-shape.intervention.yaml": intervention(
    "linear-shape",
    "insufficient-signal, low-score",
    "shape",
    "flat",
    "linear",
  ),
  "harness/interventions/bonus.intervention.yaml": intervention("bonus", "low-score", "bonus", 0, 1),
  "harness/interventions/visible-history.intervention.yaml": intervention(
    "visible-history",
    "low-score",
    "history",
    "hidden",
    "visible",
    "environment",
  ),
  "harness/interventions/faster.intervention.yaml": intervention(
    "faster",
    "low-score",
    "speed",
    "slow",
    "fast",
    "optimisation",
  ),
  "data/train.jsonl": items("train", 20),
  "data/selection.jsonl": items("selection", 60),
  "data/audit.jsonl": items("audit", 60),
};

/** evotrainer.yaml of a project whose jobs' measurements count as they are, for tests that are about something else. */
export const measuredOnce = (spec: string): string =>
  spec.replace(/^evaluation:$/m, "evaluation:\n  rerun: never");

/** evotrainer.yaml with other settings of `testing`, such as `seeds: 1`; the baseline has two seeds if they say nothing else. */
export const tested = (spec: string, settings: string): string => {
  const all = settings.includes("calibrationSeeds") ? settings : `${settings}, calibrationSeeds: 2`;
  return spec.replace(/^testing: .*$/m, `testing: { ${all} }`);
};

/**
 * evotrainer.yaml of a project that trains and measures each version once: half as many jobs, for tests that are about
 * something else than seeds. What it keeps is kept on one seed, so nothing is promoted.
 */
export const testedOnce = (spec: string): string => tested(measuredOnce(spec), "seeds: 1");

/**
 * evotrainer.yaml of a project that tries one change per generation instead of three, for tests that need each kind of job
 * and not several of a kind.
 */
export const oneChange = (spec: string): string =>
  spec.replace("variantsPerGeneration: 3", "variantsPerGeneration: 1");

/** The toy project with one change per generation. */
export const oneChangeFiles: Readonly<Record<string, string>> = {
  ...toyFiles,
  "evotrainer.yaml": oneChange(toyFiles["evotrainer.yaml"] ?? ""),
};

function writeFiles(root: string, files: Readonly<Record<string, string | null>>): void {
  for (const [path, content] of Object.entries(files))
    if (content === null) rmSync(join(root, path), { force: true });
    else {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
}

function commit(root: string, message: string, paths: readonly string[]): void {
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], { cwd: root });
  git("add", "--all", "--", ...paths);
  git("commit", "--quiet", "--message", message);
}

/** Commits changes of files, as a user does while an evolution is not over; null takes a file out. */
export function commitChanges(root: string, changes: Readonly<Record<string, string | null>>): void {
  writeFiles(root, changes);
  commit(root, "changes", Object.keys(changes));
}

/** Makes a committed git project in a new temporary folder. `changes` replaces or adds files; null leaves a file out. */
export function makeToyProject(changes: Readonly<Record<string, string | null>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), "evo-toy-"));
  writeFiles(root, { ...toyFiles, ...changes });
  cpSync(join(import.meta.dirname, "toyTrainer.mjs"), join(root, "trainer.mjs"));
  execFileSync("git", ["init", "--quiet", "--initial-branch=main"], { cwd: root });
  commit(root, "start", ["."]);
  return root;
}

/** The toy harness with some knobs set. */
export function toyHarness(knobs: Readonly<Record<string, string | number>>): string {
  let text = toyFiles["harness/toy.yaml"] ?? "";
  for (const [name, value] of Object.entries(knobs))
    text = text.replace(new RegExp(`^${name}: .*$`, "m"), `${name}: ${value}`);
  return text;
}
