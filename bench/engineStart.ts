import { build } from "esbuild";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProcess } from "./child.ts";
import { median, type BenchRow } from "./row.ts";

export interface EngineStart {
  /** The archive that the command reads and that the bare process opens. */
  readonly database: string;
  readonly rounds: number;
  /** What answers a question from that archive, e.g. node dist/cli.cjs with its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  readonly cwd?: string;
}

const bare = `
  const { DuckDBInstance } = require("@duckdb/node-api");
  (async () => {
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run("ATTACH '" + process.argv[1].replaceAll("'", "''") + "' AS archive");
    const result = await connection.runAndReadAll("SELECT count(*)::INTEGER FROM archive.rollouts WHERE split = 'train'");
    process.stdout.write(result.getRows()[0][0] + "\\n");
    process.exit(0);
  })();`;

/** Wall time from the start of the process to its answer, over that of a bare node that asks DuckDB the same. */
export async function benchEngineStart(options: EngineStart): Promise<BenchRow> {
  const here = fileURLToPath(new URL(".", import.meta.url));
  const [program, ...args] = options.command;
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round <= options.rounds; round++) {
    let start = performance.now();
    await runProcess(process.execPath, ["-e", bare, options.database], here);
    theirs.push(performance.now() - start);
    start = performance.now();
    await runProcess(program, args, options.cwd ?? here);
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
}

/** Bundles the shortest engine there is, for when the command line is not built: open the archive and count. */
export async function bundleEngine(folder: string, database: string): Promise<EngineStart["command"]> {
  const outfile = join(folder, "engine.cjs");
  await build({
    entryPoints: [fileURLToPath(new URL("engineChild.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["@duckdb/node-api"],
    logLevel: "error",
  });
  return [process.execPath, outfile, database];
}
