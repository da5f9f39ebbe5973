// Sets up what is missing, then runs every check and every test. Developers: --only checks|unit|editor.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { EditorUnavailable, ensureEditor } from "./lib/editorHost.mjs";
import { ensureHostTools } from "./lib/hostTools.mjs";
import { root, seconds } from "./lib/process.mjs";
import { check, hasTests, hostSuite, mochaSuite, skipped, summarize } from "./lib/suites.mjs";
import { ensureProgram } from "./lib/systemProgram.mjs";
import { say as saySetup, setup } from "./setup.mjs";

const print = (line) => process.stdout.write(`${line}\n`);
const unit = ["server/src/**", "shared/**", "client/**", "webview/**", "examples/**"];
/** Tests that wait for processes and disks leave room for others; more would make the timeouts of busy ones tight. */
const jobs = Math.max(2, Math.min(4, availableParallelism()));
const stages = ["checks", "unit", "editor"];

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
    return done({ name, verdicts: [{ title: name, state: "passed" }], time: seconds(began), output: "" });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return done({
      name,
      verdicts: [{ title: name, state: "failed", error: text }],
      time: seconds(began),
      output: text,
    });
  }
}

async function checks() {
  // The formatter is independent of the types.
  const format = check("format", "prettier/bin/prettier.cjs", ["--check", "."]);
  done(await check("types", "typescript/bin/tsc", ["-b"]));
  done(await check("nothing unused, nothing undeclared", "knip/bin/knip.js", []));
  done(await format);
  if (existsSync(join(root, "scripts/schemas.ts")))
    done(
      await check("generated schemas are up to date", "tsx/dist/cli.mjs", ["scripts/schemas.ts", "--check"]),
    );
}

/** It reads what `tsc -b` wrote, and keeps one core busy. */
const lint = () => check("lint", "eslint/bin/eslint.js", [".", "--max-warnings", "0"]);

/** `beside` is what one core has room for meanwhile. */
async function units(beside) {
  done(await mochaSuite("unit", unit, { jobs }));
  const neovim = process.env.EVOTRAINER_NEOVIM ?? "/usr/bin/nvim";
  const { reason = "" } = await ensureProgram(
    { name: "Neovim", file: neovim, debian: "neovim", variable: "EVOTRAINER_NEOVIM" },
    saySetup,
  );
  const env = { EVOTRAINER_NEOVIM: neovim, EVOTRAINER_NEOVIM_MISSING: reason };
  const other = beside?.();
  done(await mochaSuite("language server", ["test/lsp"], { env, timeout: 60_000 }));
  if (other) done(await other);
  if (hasTests(["test/engine"]))
    done(await mochaSuite("engine", ["test/engine"], { timeout: 180_000, jobs }));
}

const editorSuites = ["in the extension host", "in the workbench"];

async function editorTests(editor) {
  const { host, chromium, reason } = await editor;
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
  done(await hostSuite("editor: in the extension host", await buildHostSuite(), env));
  done(await mochaSuite("editor: in the workbench", ["test/editor/ui"], { env, timeout: 60_000 }));
  print(
    "not run: the same suite in the desktop editor (node test/editor/electron.mjs), which has to be downloaded",
  );
}

async function main() {
  const { wants } = options();
  const began = performance.now();
  await setup();
  // The editor is fetched while the checks run: they want the processor, it wants the network.
  const editor = wants("editor")
    ? ensureEditor(saySetup).catch((error) => {
        if (error instanceof EditorUnavailable) return { reason: error.message };
        return { reason: undefined, broken: error };
      })
    : Promise.resolve({});
  if (wants("checks")) await checks();
  const { build } = await import("./lib/bundles.mjs");
  const built =
    !(wants("unit") || wants("editor")) ||
    (await step("build", () => build({ production: true, say: (line) => print(`       ${line}`) })));
  if (wants("unit")) {
    await ensureHostTools(saySetup);
    const slurm = { name: "Slurm", file: "/usr/sbin/slurmctld", debian: "slurm-wlm", variable: "" };
    const { reason } = await ensureProgram(slurm, saySetup);
    if (reason !== undefined) saySetup(`${reason} The tests of Slurm will be skipped.`);
    for (const [name, debian] of [
      ["slurmdbd", "slurmdbd"],
      ["mariadbd", "mariadb-server"],
    ]) {
      const accounting = { name, file: `/usr/sbin/${name}`, debian, variable: "" };
      const { reason: lacks } = await ensureProgram(accounting, saySetup);
      if (lacks !== undefined) saySetup(`${lacks} The test of Slurm's accounting will be skipped.`);
    }
  }
  const beside = wants("unit") && built;
  if (beside) await units(wants("checks") ? lint : undefined);
  if ((wants("unit") || wants("editor")) && built) {
    const { packageVsix } = await import("./lib/vsix.mjs");
    const packaged = await step("package", packageVsix);
    if (packaged && wants("unit")) done(await mochaSuite("repository", ["test"]));
    const { broken } = await editor;
    if (broken) await step("editor installation", () => Promise.reject(broken));
    else if (packaged && wants("editor")) await editorTests(editor);
  }
  if (wants("checks") && !beside) done(await lint());
  print(`all in ${seconds(began)}`);
  process.exitCode = summarize(results, print);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
