import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { LineageReport, type VersionReport } from "../../shared/ledger/lineage.ts";
import { patience } from "../support/base/patience.ts";
import { sharedVerb, type Ran } from "../support/commands/sharedVerbs.ts";

const cli = resolve(import.meta.dirname, "../../dist/cli.cjs");

export type { Ran };

/**
 * Runs the built command line in a project. What starts no jobs runs in a process that has started already: a test that is
 * about the process takes `evotrainerAlone`.
 */
export function evotrainer(cwd: string, ...args: string[]): Ran {
  return sharedVerb(cwd, args) ?? evotrainerAlone(cwd, ...args);
}

/** Runs the built command line as a user does, in a process that ends. */
export function evotrainerAlone(cwd: string, ...args: string[]): Ran {
  if (!existsSync(cli)) throw new Error("dist/cli.cjs is missing; run npm run build first.");
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd,
    encoding: "utf8",
    timeout: 240_000 * patience,
  });
  return { code: status, stdout, stderr };
}

/** Starts it without waiting. */
export function startEvotrainer(cwd: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [cli, ...args], { cwd, stdio: ["ignore", "ignore", "pipe"] });
  // Read, so that it never waits for a reader.
  child.stderr.resume();
  return child;
}

/** Runs it while this process continues, because a host may be reached through this process. */
export async function runEvotrainer(cwd: string, ...args: string[]): Promise<Ran> {
  const child = spawn(process.execPath, [cli, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

export function lineageOf(cwd: string): LineageReport {
  return LineageReport.parse(JSON.parse(evotrainer(cwd, "--json", "lineage").stdout));
}

/** The runs that measured something on the audit split. */
export function auditRuns(root: string): string[] {
  return readdirSync(join(root, ".evotrainer/runs")).filter((name) => name.includes(".audit."));
}

/** What must be the same in two evolutions with one seed: everything but times and the hashes that depend on them. */
export function comparable(report: LineageReport): unknown {
  // Slurm and Ray confine no job, and every reason says so.
  return report.versions.map((v: VersionReport) => ({
    ...{ ...v, commit: "", at: "", trial: null, unconfined: undefined },
    reason: v.reason.replace(/ Unconfined: .*$/s, ""),
  }));
}

/** The loop's state file of a project. */
function loopFile(root: string): string {
  return join(root, ".evotrainer", "loop.json");
}

/** Phase and step that the loop is in, e.g. evolve/train; "" before it has a state. */
export function stateOf(root: string): string {
  try {
    const { phase, step } = JSON.parse(readFileSync(loopFile(root), "utf8")) as {
      phase: string;
      step: string;
    };
    return `${phase}/${step}`;
  } catch {
    return "";
  }
}
