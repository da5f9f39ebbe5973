import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join, relative } from "node:path";
import { root, run, runTool, seconds } from "./process.mjs";
import { bundleOf } from "./testBundles.mjs";
import { laneOf, weightOf } from "./testWeights.mjs";

/**
 * @typedef {import("./testProcess.mjs").Verdict} Verdict
 * @typedef {{ name: string, verdicts: (Verdict & { file?: string, first?: string })[], time: string, orders?: { file: string, order: object }[] }} SuiteResult
 *   first: the error of a test that passed when it was repeated; orders: what runs each file once more
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
  return { name, verdicts: verdictsOf(name, report, result), time: seconds(began) };
}

/**
 * Runs test files in the lanes, each as soon as there is room for it; `say` hears of each failure when it happens.
 * @returns {Promise<SuiteResult>}
 */
export async function testSuite(
  lanes,
  name,
  folders,
  { timeout = 20_000, env = {}, lane = laneOf, say = () => undefined } = {},
) {
  const began = performance.now();
  const files = testFiles(folders);
  const results = await Promise.all(
    files.map(async (path) => {
      const file = relative(root, path);
      const order = { file, module: bundleOf(path), timeout, env };
      const result = await lanes.add({
        lane: lane(file),
        weight: weightOf(file),
        run: (worker) => worker.run(order),
      });
      for (const { title, state } of result.verdicts) if (state === "failed") say(`       failed: ${title}`);
      return { file, order, ...result };
    }),
  );
  const verdicts = results.flatMap(({ file, verdicts }) => verdicts.map((verdict) => ({ file, ...verdict })));
  if (files.length === 0)
    verdicts.push({ title: `${name} has tests`, state: "failed", error: `None in ${folders.join(", ")}.` });
  mkdirSync(join(root, "out/reports"), { recursive: true });
  writeFileSync(reportOf(name), JSON.stringify(verdicts));
  const times = results.map(({ file, milliseconds, processor }) => ({ file, milliseconds, processor }));
  const orders = results.map(({ file, order }) => ({ file, order }));
  return { name, verdicts, time: seconds(began), times, orders };
}

/** Runs the suite inside the extension host of the real editor. */
export function hostSuite(name, bundle, env) {
  return reported(name, (report) =>
    run(process.execPath, [bundleOf(join(root, "test/editor/launcher/inHost.ts")), bundle, report], {
      env,
      limit: 900_000,
    }),
  );
}

/**
 * A check has the place of one file that computes. The type check and the linter are programs of Go: by themselves they take
 * every processor, infer the same types on each, and free memory far more often than most machines need.
 */
const oneProcessor = {
  GOMAXPROCS: "1",
  GOGC: "400",
  GOMEMLIMIT: `${Math.round(totalmem() / 4 / 2 ** 20)}MiB`,
};

/** A check that is one command: it counts as one test. */
export async function check(name, tool, args) {
  const began = performance.now();
  const limits = { limit: 1_800_000, givesWay: true, env: oneProcessor };
  const { code, output } = await runTool(tool, args, limits);
  const error = output.trimEnd().split("\n").slice(-80).join("\n");
  const verdict = code === 0 ? { title: name, state: "passed" } : { title: name, state: "failed", error };
  return { name, verdicts: [verdict], time: seconds(began) };
}

/** A suite that this machine cannot run: skipped by name. */
export const skipped = (name, reason) => ({
  name,
  verdicts: [{ title: reason, state: "skipped" }],
  time: "0.0 s",
});

/** Prints what failed, what passed only when it was repeated, and what was skipped, then the one line that counts; returns the exit code. */
export function summarize(results, say) {
  const all = results.flatMap(({ name, verdicts }) =>
    verdicts.map((verdict) => ({ suite: name, ...verdict })),
  );
  const of = (state) => all.filter((verdict) => verdict.state === state);
  for (const { suite, title, file, first } of all.filter((verdict) => verdict.first !== undefined))
    say(
      `\nPASSED ONLY WHEN REPEATED ${suite}: ${title} (${file})\n  the first time:\n${first.replace(/^/gm, "    ")}`,
    );
  for (const { suite, title, file, error = "" } of of("failed")) {
    const where = file === undefined ? "" : ` (${file})`;
    say(`\nFAILED ${suite}: ${title}${where}\n${error.replace(/^/gm, "    ")}`);
  }
  for (const { suite, title } of of("skipped")) say(`skipped ${suite}: ${title}`);
  const passed = of("passed").length;
  const failed = of("failed").length + (passed === 0 ? 1 : 0);
  say(`${passed} passed, ${failed} failed, ${of("skipped").length} skipped`);
  return failed > 0 ? 1 : 0;
}
