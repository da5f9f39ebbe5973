import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeToyProject } from "../../test/engine/toyProject.ts";
import { runProcess } from "../child.ts";
import { median, type BenchRow } from "../row.ts";

const bare = `
  const { DuckDBInstance } = require("@duckdb/node-api");
  (async () => {
    const instance = await DuckDBInstance.create(process.argv[1]);
    const connection = await instance.connect();
    const result = await connection.runAndReadAll("SELECT count(*)::INTEGER FROM rollouts WHERE split = 'selection'");
    process.stdout.write(result.getRows()[0][0] + "\\n");
    process.exit(0);
  })();`;

/**
 * Wall time of `evotrainer rollouts` in a small evolved project, from the start of the process to its end, over that of
 * a bare node that opens the same archive and asks DuckDB one question. The command line reads git, the ledger and the
 * project besides.
 */
export async function benchEngineStart(options: { readonly rounds: number }): Promise<BenchRow> {
  const here = fileURLToPath(new URL(".", import.meta.url));
  const cli = join(here, "../../dist/cli.cjs");
  const project = makeToyProject();
  try {
    execFileSync(process.execPath, [cli, "evolve", "--generations", "1"], { cwd: project, stdio: "ignore" });
    const database = join(project, ".evotrainer/archive.duckdb");
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round <= options.rounds; round++) {
      let start = performance.now();
      await runProcess(process.execPath, ["-e", bare, database], here);
      theirs.push(performance.now() - start);
      start = performance.now();
      await runProcess(process.execPath, [cli, "--json", "rollouts", "v1", "--limit", "1"], project);
      ours.push(performance.now() - start);
    }
    // The first round warms the page cache.
    const [a, b] = [median(ours.slice(1)), median(theirs.slice(1))];
    return {
      name: "engine start to first answer, over DuckDB's",
      measured: Math.max(0, a - b),
      target: 300,
      unit: "ms",
      detail: `${a.toFixed(0)} ms against ${b.toFixed(0)} ms of a bare node that opens the same file`,
    };
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
