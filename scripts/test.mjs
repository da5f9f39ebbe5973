// Sets up what is missing, then runs every check and every test. Developers: --only checks|unit|editor.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { EditorUnavailable, ensureEditor } from "./lib/editorHost.mjs";
import { ensureHostTools } from "./lib/hostTools.mjs";
import { Lanes } from "./lib/lanes.mjs";
import { root, seconds } from "./lib/process.mjs";
import { repeatFailures } from "./lib/repeats.mjs";
import { check, hostSuite, skipped, summarize, testSuite } from "./lib/suites.mjs";
import { ensureProgram } from "./lib/systemProgram.mjs";
import { bundleFolder } from "./lib/testBundles.mjs";
import { timesFile } from "./lib/testWeights.mjs";
import { say as saySetup, setup } from "./setup.mjs";

const print = (line) => process.stdout.write(`${line}\n`);
const unit = [
  "server/src/**",
  "shared/**",
  "client/**",
  "webview/**",
  "examples/**",
  "bench/**",
  "scripts/**",
  "site",
];
const stages = ["checks", "unit", "editor"];

/**
 * As many places that compute as there are processors, up to four, two for what waits meanwhile, and one for the editor. Half
 * of what computes is waiting for jobs and for the disk, so that whoever has nothing else to do takes of it.
 */
const places = [
  ...Array.from({ length: Math.max(2, Math.min(4, availableParallelism())) }, () => ["computes", "waits"]),
  ["waits", "computes"],
  ["waits", "computes"],
  ["editor"],
];

function options() {
  const { values } = parseArgs({ options: { only: { type: "string" } } });
  if (values.only !== undefined && !stages.includes(values.only))
    throw new Error(`--only takes ${stages.join(", ")}, not ${values.only}.`);
  return { wants: (stage) => values.only === undefined || values.only === stage };
}

const results = [];
/** Keeps and announces a result; a failure is shown in full at the end. */
function done(result) {
  const failures = result.verdicts.filter(({ state }) => state === "failed").length;
  const word = failures
    ? "FAILED"
    : result.verdicts.every(({ state }) => state === "skipped")
      ? "skip  "
      : "ok    ";
  print(`${word} ${result.name} (${result.verdicts.length}, ${result.time})`);
  results.push(result);
  return failures === 0;
}

/** A step that the suites after it need: it counts as one check. */
async function step(name, work) {
  const began = performance.now();
  try {
    await work();
    return done({ name, verdicts: [{ title: name, state: "passed" }], time: seconds(began) });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return done({ name, verdicts: [{ title: name, state: "failed", error: text }], time: seconds(began) });
  }
}

async function checks(lanes) {
  const compute = async (weight, ...of) =>
    done(await lanes.add({ lane: "computes", weight, run: () => check(...of) }));
  await Promise.all([
    // Both are long, and so they go first.
    compute(2000, "types", "typescript/bin/tsc", ["-b", "--checkers", "1"]),
    compute(1000, "lint", "oxlint/bin/oxlint", ["--type-aware", "--deny-warnings"]),
    compute(30, "nothing unused, nothing undeclared", "knip/bin/knip.js", []),
    compute(1, "format", "oxfmt/bin/oxfmt", ["--check"]),
  ]);
}

/** Programs of the system that some tests need: where one cannot be had, those tests are skipped by name. */
async function ensurePrograms() {
  await ensureHostTools(saySetup);
  for (const [name, file, debian, tests] of [
    ["Slurm", "/usr/sbin/slurmctld", "slurm-wlm", "tests of Slurm"],
    ["slurmdbd", "/usr/sbin/slurmdbd", "slurmdbd", "test of Slurm's accounting"],
    ["mariadbd", "/usr/sbin/mariadbd", "mariadb-server", "test of Slurm's accounting"],
  ]) {
    const { reason } = await ensureProgram({ name, file, debian, variable: "" }, saySetup);
    if (reason !== undefined) saySetup(`${reason} The ${tests} will be skipped.`);
  }
  const neovim = process.env.EVOTRAINER_NEOVIM ?? "/usr/bin/nvim";
  const { reason = "" } = await ensureProgram(
    { name: "Neovim", file: neovim, debian: "neovim", variable: "EVOTRAINER_NEOVIM" },
    saySetup,
  );
  return { EVOTRAINER_NEOVIM: neovim, EVOTRAINER_NEOVIM_MISSING: reason };
}

async function units(lanes, env) {
  const suites = [
    testSuite(lanes, "unit", unit, { env, say: print }),
    testSuite(lanes, "language server", ["test/lsp"], { env, say: print, timeout: 60_000 }),
    testSuite(lanes, "engine", ["test/engine"], { env, say: print, timeout: 180_000 }),
  ];
  await Promise.all(suites.map(async (suite) => done(await suite)));
}

const editorSuites = ["in the extension host", "in the workbench"];

async function editorTests(lanes, editor) {
  const { host, chromium, reason } = editor;
  if (reason !== undefined) {
    for (const name of editorSuites) done(skipped(`editor: ${name}`, reason));
    return;
  }
  const shots = join(root, "out/shots");
  rmSync(shots, { recursive: true, force: true });
  mkdirSync(shots, { recursive: true });
  const { vsixFile } = await import("./lib/vsix.mjs");
  const env = {
    EVOTRAINER_EDITOR_HOST: host,
    EVOTRAINER_CHROMIUM: chromium,
    EVOTRAINER_VSIX: vsixFile,
    EVOTRAINER_SHOTS: shots,
  };
  const { buildHostSuite } = await import("./lib/bundles.mjs");
  const bundle = await buildHostSuite();
  const inHost = lanes.add({
    lane: "editor",
    weight: 1000,
    run: () => hostSuite("editor: in the extension host", bundle, env),
  });
  const inWorkbench = testSuite(lanes, "editor: in the workbench", ["test/editor/ui"], {
    env,
    say: print,
    timeout: 60_000,
    lane: () => "editor",
  });
  await Promise.all([inHost, inWorkbench].map(async (suite) => done(await suite)));
  print(
    "not run: the same suite in the desktop editor (node test/editor/electron.mjs), which has to be downloaded",
  );
}

async function packagedTests(lanes, wants, editor) {
  const { packageVsix } = await import("./lib/vsix.mjs");
  const { packageForNpm } = await import("./lib/npmPackage.mjs");
  const { writeContents } = await import("./lib/contents.mjs");
  const packages = async () => {
    await writeContents();
    await Promise.all([packageVsix(), packageForNpm()]);
  };
  if (!(await step("package", packages))) return;
  const repository = wants("unit")
    ? testSuite(lanes, "repository", ["test"], { say: print }).then(done)
    : undefined;
  const { broken, ...there } = await editor;
  if (broken) await step("editor installation", () => Promise.reject(broken));
  else if (wants("editor")) await editorTests(lanes, there);
  // Not before: the editor's tests are the longest lane, and come late.
  lanes.alsoTakes("editor", ["waits", "computes"]);
  await repository;
}

async function tests(lanes, wants) {
  // The editor and the programs are fetched while others work: they want the network.
  const editor = wants("editor")
    ? ensureEditor(saySetup).catch((error) =>
        error instanceof EditorUnavailable ? { reason: error.message } : { broken: error },
      )
    : Promise.resolve({});
  const programs = wants("unit") ? ensurePrograms() : Promise.resolve({});
  const { build } = await import("./lib/bundles.mjs");
  const { bundleTests } = await import("./lib/testBundles.mjs");
  const built = await step("build", async () => {
    await build({ production: true, say: (line) => print(`       ${line}`) });
    await bundleTests();
  });
  const env = await programs;
  if (!built) return;
  await Promise.all([wants("unit") ? units(lanes, env) : undefined, packagedTests(lanes, wants, editor)]);
}

/** Where the time went, and what the next run begins first. */
function writeTimes() {
  const times = results.flatMap(({ times = [] }) => times);
  times.sort((a, b) => (b.processor ?? 0) - (a.processor ?? 0));
  if (times.length === 0) return;
  writeFileSync(timesFile, `${JSON.stringify(times, undefined, 1)}\n`);
  const processor = times.reduce((sum, { processor = 0 }) => sum + processor, 0) / 1000;
  print(
    `the test files and what they started took ${Math.round(processor)} s of processor time (${timesFile})`,
  );
}

async function main() {
  const { wants } = options();
  const began = performance.now();
  await setup();
  const shared = join(root, "out/shared");
  rmSync(shared, { recursive: true, force: true });
  mkdirSync(shared, { recursive: true });
  // What the tests share, and how often their usual time they may take where much else runs.
  Object.assign(process.env, {
    EVOTRAINER_TEST_SHARED: shared,
    EVOTRAINER_KEYS: join(shared, "keys"),
    EVOTRAINER_PATIENCE: "5",
    EVOTRAINER_TEST_BUNDLES: bundleFolder,
  });
  const lanes = new Lanes(places);
  const work = [];
  if (wants("checks")) work.push(checks(lanes));
  if (wants("unit") || wants("editor")) work.push(tests(lanes, wants));
  await Promise.all(work);
  await lanes.close();
  await repeatFailures(results, print);
  writeTimes();
  print(`all in ${seconds(began)}`);
  process.exitCode = summarize(results, print);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
