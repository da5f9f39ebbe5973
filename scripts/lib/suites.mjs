import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, run, runTool, seconds } from "./process.mjs";

/**
 * @typedef {{ title: string, state: "passed" | "failed" | "skipped", error?: string }} Verdict
 * @typedef {{ name: string, verdicts: Verdict[], time: string, output: string }} SuiteResult
 */

/** Test files of folders: `a/**` searches a folder and all below it, `a` the folder alone. */
function testFiles(folders) {
  return folders
    .flatMap((folder) => {
      const recursive = folder.endsWith("/**");
      const path = join(root, recursive ? folder.slice(0, -3) : folder);
      if (!existsSync(path)) return [];
      return readdirSync(path, { recursive })
        .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"))
        .map((file) => join(path, file));
    })
    .sort();
}

/** Tests that wait for processes on hosts, or for evolutions, take longest: begun last, one of them would run alone at the end. */
const waitsLong = (file) =>
  /[\\/]server[\\/]src[\\/]runner[\\/]|[\\/]ui[\\/](places|walk|jobs|hosts)\.test/.test(file);
const longestFirst = (files) => [...files.filter(waitsLong), ...files.filter((file) => !waitsLong(file))];

const reportOf = (name) => join(root, "out/reports", `${name.replace(/\W+/g, "-")}.json`);

/** What a suite reported; a suite that reported nothing, or ran nothing, has failed. */
function verdictsOf(name, report, { code, output }) {
  const tail = output.trimEnd().split("\n").slice(-60).join("\n");
  if (!existsSync(report)) return [{ title: `${name} ran to its end`, state: "failed", error: tail }];
  const verdicts = JSON.parse(readFileSync(report, "utf8"));
  if (verdicts.length === 0)
    return [{ title: `${name} has tests`, state: "failed", error: `No test ran.\n${tail}` }];
  if (code !== 0 && !verdicts.some(({ state }) => state === "failed"))
    return [
      ...verdicts,
      { title: `${name} ended without an error`, state: "failed", error: `exit code ${code}\n${tail}` },
    ];
  return verdicts;
}

async function reported(name, start) {
  const report = reportOf(name);
  mkdirSync(join(root, "out/reports"), { recursive: true });
  rmSync(report, { force: true });
  const began = performance.now();
  const result = await start(report);
  return { name, verdicts: verdictsOf(name, report, result), time: seconds(began), output: result.output };
}

/** Runs test files with mocha in processes of their own, of which `jobs` work at a time. */
export function mochaSuite(name, folders, { timeout = 20_000, limit = 900_000, env = {}, jobs = 1 } = {}) {
  const files = longestFirst(testFiles(folders));
  return reported(name, (report) => {
    if (files.length === 0) return { code: 1, output: `There is no test in ${folders.join(", ")}.` };
    const mocha = join(root, "node_modules/mocha/bin/mocha.js");
    const reporter = ["--reporter", join(root, "scripts/lib/mochaReporter.mjs")];
    const workers = jobs > 1 ? ["--parallel", "--jobs", String(jobs)] : [];
    return run(
      process.execPath,
      ["--import", "tsx", mocha, ...reporter, ...workers, "--timeout", String(timeout), ...files],
      {
        env: { NO_COLOR: "1", ...env, EVOTRAINER_REPORT: report },
        limit,
      },
    );
  });
}

/** Whether any of the folders has tests: some have none yet. */
export const hasTests = (folders) => testFiles(folders).length > 0;

/** Runs the suite inside the extension host of the real editor. */
export function hostSuite(name, bundle, env) {
  return reported(name, (report) =>
    run(process.execPath, ["--import", "tsx", "test/editor/launcher/inHost.ts", bundle, report], {
      env,
      limit: 240_000,
    }),
  );
}

/** A check that is one command: it counts as one test. */
export async function check(name, tool, args) {
  const began = performance.now();
  const { code, output } = await runTool(tool, args, { limit: 600_000 });
  const error = output.trimEnd().split("\n").slice(-80).join("\n");
  const verdict = code === 0 ? { title: name, state: "passed" } : { title: name, state: "failed", error };
  return { name, verdicts: [verdict], time: seconds(began), output };
}

/** A suite that this machine cannot run: skipped by name. */
export const skipped = (name, reason) => ({
  name,
  verdicts: [{ title: reason, state: "skipped" }],
  time: "0.0 s",
  output: "",
});

/** Prints what failed and what was skipped, then the one line that counts; returns the exit code. */
export function summarize(results, say) {
  const all = results.flatMap(({ name, verdicts }) =>
    verdicts.map((verdict) => ({ suite: name, ...verdict })),
  );
  const of = (state) => all.filter((verdict) => verdict.state === state);
  for (const { suite, title, error = "" } of of("failed"))
    say(`\nFAILED ${suite}: ${title}\n${error.replace(/^/gm, "    ")}`);
  for (const { suite, title } of of("skipped")) say(`skipped ${suite}: ${title}`);
  const passed = of("passed").length;
  const failed = of("failed").length + (passed === 0 ? 1 : 0);
  say(`${passed} passed, ${failed} failed, ${of("skipped").length} skipped`);
  return failed > 0 ? 1 : 0;
}
