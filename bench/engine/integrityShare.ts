import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProcess } from "../child.ts";
import { median, type BenchRow } from "../row.ts";

const cli = join(fileURLToPath(new URL(".", import.meta.url)), "../../dist/cli.cjs");

/** One evolution of the example as `npm start` runs it. */
interface Evolved {
  readonly seconds: number;
  /** Of the engine, its jobs and all that they started. */
  readonly processorSeconds: number;
  readonly jobs: number;
  /** What became of each version. */
  readonly decisions: string;
}

/**
 * What share of the wall clock of `npm start`, after set-up, it costs to keep its evidence true. The same evolution runs with
 * everything on, and without a second evaluation and without confinement, in turns. What cannot be switched off is taken off
 * the second one: for each of its jobs what it took in the row of one job, as if no two of them ran side by side.
 */
export async function benchIntegrityShare(options: {
  readonly rounds: number;
  /** What a job takes that cannot be switched off, in milliseconds. */
  readonly guards: number;
}): Promise<BenchRow> {
  const guarded: Evolved[] = [];
  const plain: Evolved[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const steps = [async () => guarded.push(await evolve(true)), async () => plain.push(await evolve(false))];
    for (const step of round % 2 === 0 ? steps : steps.toReversed()) await step();
  }
  const ratios = guarded.map((with_, i) => {
    const without = plain[i] ?? with_;
    return {
      wall: with_.seconds / (without.seconds - (without.jobs * options.guards) / 1000),
      processor: with_.processorSeconds / without.processorSeconds,
    };
  });
  const all = [...guarded, ...plain];
  const isSame = all.every(({ decisions }) => decisions === all[0]?.decisions);
  const of = (runs: readonly Evolved[], name: "seconds" | "processorSeconds"): string =>
    runs.map((run) => run[name].toFixed(1)).join(", ");
  return {
    name: "integrity: npm start with all that keeps its evidence true / without, wall clock",
    measured: median(ratios.map(({ wall }) => wall)),
    target: 1.03,
    unit: "ratio",
    detail: [
      `${of(guarded, "seconds")} s with, ${of(plain, "seconds")} s without a second evaluation and confinement`,
      `processor time ${of(guarded, "processorSeconds")} and ${of(plain, "processorSeconds")} s, ratio ${median(ratios.map(({ processor }) => processor)).toFixed(3)}`,
      `${guarded[0]?.jobs ?? 0} and ${plain[0]?.jobs ?? 0} jobs, ${isSame ? "the same decisions" : "OTHER DECISIONS"}`,
    ].join("; "),
  };
}

async function evolve(isGuarded: boolean): Promise<Evolved> {
  const root = await mkdtemp(join(tmpdir(), "evotrainer-share-"));
  const project = join(root, "project");
  try {
    await runProcess(process.execPath, [cli, "init", project, "--template", "swe"], root);
    if (!isGuarded) switchOff(project);
    const command = '"$0" "$@" >../evolve.log 2>&1; code=$?; times; exit "$code"';
    const evolving = [process.execPath, cli, "evolve", "--autonomy", "full", "--approve"];
    const start = performance.now();
    const told = execFileSync("/bin/sh", ["-c", command, ...evolving], { cwd: project, encoding: "utf8" });
    return {
      seconds: (performance.now() - start) / 1000,
      processorSeconds: childrenSeconds(told),
      jobs: readdirSync(join(project, ".evotrainer/runs")).length,
      decisions: execFileSync(process.execPath, [cli, "lineage"], { cwd: project, encoding: "utf8" })
        .split("\n")
        .flatMap(
          (line) => /^\W*(v\d\S*) .* (keep|base|reject|invalid)\b/.exec(line)?.slice(1).join(" ") ?? [],
        )
        .join(", "),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Takes out of a new project what can be taken out, in a commit of its own. */
function switchOff(project: string): void {
  const path = join(project, "evotrainer.yaml");
  const text = readFileSync(path, "utf8")
    .replace(/^trainer:$/m, "trainer:\n  confine: off")
    .replace(/^evaluation:$/m, "evaluation:\n  rerun: never");
  writeFileSync(path, text);
  const author = ["-c", "user.name=bench", "-c", "user.email=bench@invalid"];
  execFileSync("git", [...author, "commit", "--quiet", "--all", "--message", "Off"], { cwd: project });
}

/** The second line of the shell's `times`: user and system time of all processes that ended below it. */
function childrenSeconds(told: string): number {
  const [, line = ""] = told.trim().split("\n");
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, m, s]) => sum + Number(m) * 60 + Number(s),
    0,
  );
}
