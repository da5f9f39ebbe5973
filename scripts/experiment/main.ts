/**
 * The headline experiment: `npm run experiment [-- --quick] [--plan second|third|skills|before|mended|phantom] [--domain math] [--arm evotrainer,human] [--seed 1] [--jobs 2] [--report] [--skills]`.
 * Runs the cells that have no result yet and writes the report; started again, it goes on. docs/experiment-plan.md.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeLibrary } from "./library.ts";
import { root } from "./paths.ts";
import { runPhantom } from "./phantom/runPhantom.ts";
import { cellName, cellsOf, planFileOf, planNames, quickPlan, readPlan, type Cell } from "./plan.ts";
import { ProgramFailed, runProgram } from "./project.ts";
import { isDone, writeResult } from "./results.ts";
import { runCell } from "./runCell.ts";
import { writeReport } from "./report/writeReport.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const known = {
  help: { type: "boolean", default: false },
  quick: { type: "boolean", default: false },
  report: { type: "boolean", default: false },
  skills: { type: "boolean", default: false },
  plan: { type: "string", default: "headline" },
  domain: { type: "string" },
  arm: { type: "string" },
  seed: { type: "string" },
  jobs: { type: "string" },
  // One cell in this process: what the others are started as.
  here: { type: "boolean", default: false },
} as const;

const usage =
  "npm run experiment [-- [--quick] [--plan second|third|skills|before|mended|phantom] [--domain math,code] [--arm evotrainer,human] [--seed 1] [--jobs 2] [--report] [--skills]]";

const { options, unknown } = asked();

/** The options, or why they are none. */
function asked(): { options: ReturnType<typeof parsed>; unknown: string | null } {
  try {
    return { options: parsed(process.argv.slice(2)), unknown: null };
  } catch (error) {
    return { options: parsed([]), unknown: error instanceof Error ? error.message : String(error) };
  }
}

function parsed(args: string[]) {
  return parseArgs({ args, options: known }).values;
}

const planName = planNames.find((name) => name === options.plan) ?? "headline";
const plan = options.quick ? quickPlan(readPlan(planName)) : readPlan(planName);

const commitOf = (...what: string[]): string =>
  runProgram(["git", "log", "-1", "--format=%H", "--", ...what], { cwd: root }).trim();

/** A run whose plan or code is not committed could not be repeated. */
function provenance(): { planCommit: string; codeCommit: string } {
  const papers = [planFileOf(planName), "docs/experiment-plan.md", "experiment/references"];
  if (planName === "skills") papers.push("experiment/skills");
  const open = runProgram(["git", "status", "--porcelain", "--", ...papers], { cwd: root }).trim();
  if (open !== "" && !options.quick)
    throw new ProgramFailed(
      `Commit the plan before you run it; these files differ from the newest commit:\n${open}`,
    );
  return {
    planCommit: commitOf(...papers),
    codeCommit: runProgram(["git", "rev-parse", "HEAD"], { cwd: root }).trim(),
  };
}

const minutes = (ms: number): string => {
  const all = Math.max(1, Math.round(ms / 60_000));
  return all < 60 ? `${all} min` : `${Math.floor(all / 60)} h ${all % 60} min`;
};

/** Each cell in a process of its own, some side by side. Answers how many failed. */
async function runAll(cells: readonly Cell[], jobs: number): Promise<number> {
  const began = Date.now();
  const queue = [...cells];
  let [done, failed] = [0, 0];
  const worker = async (): Promise<void> => {
    for (let cell = queue.shift(); cell !== undefined; cell = queue.shift()) {
      const name = cellName(cell);
      say(`${name} begins`);
      const code = await started(cell);
      done++;
      if (code !== 0) failed++;
      const left = ((Date.now() - began) / done) * (cells.length - done);
      say(
        `${name} ${code === 0 ? "done" : "FAILED"}: ${done} of ${cells.length}${done === cells.length ? "" : `, about ${minutes(left)} left`}`,
      );
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return failed;
}

function started({ domain, arm, seed }: Cell): Promise<number> {
  const own = ["--here", "--domain", domain, "--arm", arm, "--seed", String(seed)];
  const args = [
    "--import=tsx",
    join(root, "scripts/experiment/main.ts"),
    ...["--plan", planName],
    ...own,
    ...(options.quick ? ["--quick"] : []),
  ];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((resolve) => {
    child.once("exit", (code) => resolve(code ?? 1));
    child.once("error", () => resolve(1));
  });
}

/** The run whose trainings are no cells. */
async function phantom(): Promise<number> {
  const given = (["domain", "arm", "seed", "jobs"] as const).find((name) => options[name] !== undefined);
  if (options.quick || given !== undefined)
    throw new RangeError(
      `The plan phantom has no cells to choose from. Run it without --${given ?? "quick"}.`,
    );
  if (!options.report) {
    say(runProgram([process.execPath, join(root, "scripts/build.mjs")], { cwd: root }).trim());
    runPhantom(plan, provenance, say);
  }
  await writeReport(readPlan(), say);
  return 0;
}

async function main(): Promise<number> {
  if (options.help) {
    say(usage);
    return 0;
  }
  if (unknown !== null) throw new RangeError(`${unknown}\n${usage}`);
  if (planName !== options.plan)
    throw new RangeError(`There is no plan ${options.plan}; there are ${planNames.join(", ")}.`);
  if (options.skills) {
    say(`experiment/skills has ${makeLibrary()} skills.`);
    return 0;
  }
  if (planName === "phantom") return phantom();
  const cells = cellsOf(plan, options);
  if (options.here) {
    for (const cell of cells) writeResult(plan, runCell(plan, cell, provenance()));
    return 0;
  }
  // A trial is meant to be over soon; a full run to leave room for others.
  const jobs = Number(options.jobs ?? (options.quick ? 2 : 1));
  if (!Number.isInteger(jobs) || jobs < 1) throw new RangeError("--jobs takes a whole number, 1 or more.");
  let failed = 0;
  if (!options.report) {
    provenance();
    const open = cells.filter((cell) => !isDone(plan, cell));
    say(
      `${plan.name}: ${cells.length - open.length} of ${cells.length} cells have a result, ${open.length} are run${options.quick ? ". This is a trial: its numbers say nothing" : ""}.`,
    );
    if (open.length > 0)
      say(runProgram([process.execPath, join(root, "scripts/build.mjs")], { cwd: root }).trim());
    failed = await runAll(open, jobs);
  }
  // The page is about all plans.
  await writeReport(options.quick ? plan : readPlan(), say);
  return failed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof ProgramFailed) && !(error instanceof RangeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof RangeError ? 2 : 1;
}
