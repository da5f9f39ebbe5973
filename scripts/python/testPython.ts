import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { delimiter, join } from "node:path";
import { z } from "zod";
import { formatted } from "../formatted.ts";
import { reportText, type Installed, type TestedFile } from "./pythonReport.ts";

/**
 * `npm run test:python`: makes a virtual environment, installs what pip offers of the packages that tests need, runs those tests
 * with it, and writes their report beside the page of the benchmark. `-- --no-install` takes the environment as it is;
 * `-- --only <part of a name>` runs the test files with it in their path, and takes the others from the run before.
 */
const root = join(import.meta.dirname, "../..");
const folder = join(root, "out/python");
const python = join(folder, "bin/python3");
/** Each on its own, so that one that cannot be had does not take the others with it. */
const wanted = [
  "pyyaml",
  "torch",
  "transformers",
  "trl",
  "tensorboard",
  "ray",
  "ray[default]",
  "verl",
  "pyarrow",
];
/** verl and ROLL are too large to install for a test, and need a GPU to run. */
const never = new Set(["verl"]);
const files = [
  "test/engine/writers.test.ts",
  "test/engine/trainerPy.test.ts",
  "test/engine/trlExample.test.ts",
  "test/engine/countdownExample.test.ts",
  "test/engine/verlTemplate.test.ts",
  "test/engine/verlLaunch.test.ts",
  "test/engine/rollTemplate.test.ts",
  "test/frameworkSchemas.test.ts",
  "test/pythonFiles.test.ts",
  "server/src/runner/ray/rayQueue.test.ts",
].filter((file) => existsSync(join(root, file)));

const Report = z.object({
  stats: z.object({ duration: z.number() }),
  passes: z.array(z.object({ fullTitle: z.string() })),
  pending: z.array(z.object({ fullTitle: z.string() })),
  failures: z.array(z.object({ fullTitle: z.string(), err: z.object({ message: z.string().optional() }) })),
});

const Results = z.array(
  z.object({
    file: z.string(),
    seconds: z.number(),
    passed: z.array(z.string()),
    skipped: z.array(z.string()),
    failed: z.array(z.object({ title: z.string(), message: z.string() })),
  }),
);

function makeEnvironment(): void {
  if (existsSync(python)) return;
  mkdirSync(folder, { recursive: true });
  const made = spawnSync("python3", ["-m", "venv", folder], { stdio: "inherit" });
  if (made.status !== 0)
    throw new Error(
      "python3 -m venv failed: install Python 3.9 or later with its venv (Debian: python3-venv).",
    );
}

/** What pip said of each package that it could not install. */
const refused = new Map<string, string>();

function install(name: string): void {
  if (never.has(name)) return;
  process.stderr.write(`pip install ${name}\n`);
  const options = ["--quiet", "--retries", "0", "--timeout", "60", "--disable-pip-version-check"];
  const ran = spawnSync(python, ["-m", "pip", "install", ...options, name], {
    encoding: "utf8",
    cwd: folder,
  });
  if (ran.status === 0) return;
  refused.set(name, lastLine(ran.stderr));
  process.stderr.write(`  ${lastLine(ran.stderr)}\n`);
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";

/** What is there now: the version, or why it cannot be imported. */
function installed(name: string): Installed {
  const module = { pyyaml: "yaml", "ray[default]": "ray.dashboard.optional_deps" }[name] ?? name;
  const program = `import importlib, importlib.metadata as m; importlib.import_module(${JSON.stringify(module)}); print(m.version(${JSON.stringify(name.replace(/\[.*/, ""))}))`;
  const ran = spawnSync(python, ["-c", program], { encoding: "utf8", cwd: folder });
  return ran.status === 0
    ? { name, version: lastLine(ran.stdout), why: null }
    : {
        name,
        version: null,
        why: never.has(name)
          ? "not asked for: it needs a GPU to run"
          : (refused.get(name) ?? lastLine(ran.stderr)),
      };
}

function test(file: string, environment: NodeJS.ProcessEnv): TestedFile {
  process.stderr.write(`${file}\n`);
  const path = join(folder, "report.json");
  // Or a file that leaves no report would be told by that of the file before.
  rmSync(path, { force: true });
  const ran = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/mocha/bin/mocha.js"),
      ...["--timeout", "300000"],
      "--reporter",
      "json",
      "--reporter-option",
      `output=${path}`,
      file,
    ],
    { cwd: root, env: { ...process.env, ...environment }, encoding: "utf8", maxBuffer: 2 ** 28 },
  );
  const told = Report.safeParse(existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined);
  if (!told.success) throw new Error(`${file} left no report: ${lastLine(ran.stderr)}`);
  const { passes, pending, failures, stats } = told.data;
  const title = ({ fullTitle }: { readonly fullTitle: string }): string => fullTitle;
  return {
    ...{ file, seconds: stats.duration / 1000, passed: passes.map(title), skipped: pending.map(title) },
    failed: failures.map((one) => ({ title: one.fullTitle, message: lastLine(one.err.message ?? "") })),
  };
}

makeEnvironment();
if (!process.argv.includes("--no-install")) for (const name of wanted) install(name);
const packages = wanted.map(installed);
const has = (name: string): boolean => packages.some((one) => one.name === name && one.version !== null);
const environment = {
  // As in `npm test`: a test may take longer where others compute beside it.
  EVOTRAINER_PATIENCE: process.env["EVOTRAINER_PATIENCE"] ?? "5",
  PATH: `${join(folder, "bin")}${delimiter}${process.env["PATH"] ?? ""}`,
  EVOTRAINER_PYTHON: python,
  ...(has("torch") ? { EVOTRAINER_TORCH_PYTHON: python } : {}),
  ...(has("trl") ? { EVOTRAINER_TRL_PYTHON: python } : {}),
  ...(has("ray[default]") ? { EVOTRAINER_RAY_PYTHON: python } : {}),
};
const results = join(folder, "results.json");
const before =
  Results.safeParse(existsSync(results) ? JSON.parse(readFileSync(results, "utf8")) : []).data ?? [];
const only = process.argv[process.argv.indexOf("--only") + 1];
const isWanted = (file: string): boolean =>
  !process.argv.includes("--only") || (only !== undefined && file.includes(only));
if (!files.some(isWanted)) throw new Error(`--only names no file; there are: ${files.join(", ")}.`);
const tested: TestedFile[] = [];
for (const file of files) {
  const known = before.find((one) => one.file === file);
  tested.push(isWanted(file) || known === undefined ? test(file, environment) : known);
  // What was run is kept, even if a later file breaks the run.
  const others = before.filter((one) => !tested.some(({ file: done }) => done === one.file));
  writeFileSync(results, JSON.stringify([...tested, ...others]));
}
const version = spawnSync(python, ["--version"], { encoding: "utf8" }).stdout.trim();
const report = "docs/python-tests.md";
const text = await formatted(
  report,
  reportText({
    ...{ python: version, processors: cpus().length, packages, tested },
    isWhole: !process.argv.includes("--only"),
  }),
);

writeFileSync(join(root, report), text);
process.stdout.write(text);
process.exitCode = tested.some(({ failed }) => failed.length > 0) ? 1 : 0;
