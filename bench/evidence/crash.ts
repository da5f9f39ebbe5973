import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { seededRandom } from "../../server/src/base/random.ts";
import { ingestFile } from "../../server/src/evidence/ingest/ingest.ts";
import { openStore, type Store } from "../../server/src/evidence/archive/store.ts";
import { generateRollouts } from "../generate.ts";
import type { BenchRow } from "../row.ts";

const here = fileURLToPath(new URL(".", import.meta.url));

/** A file that grows by pieces that end anywhere, and what is in it. */
class GrowingFile {
  readonly #file: number;
  readonly #rollouts = generateRollouts({ rows: 1_000_000, textBytes: 400, seed: 6 });
  #waiting = Buffer.alloc(0);
  /** Byte offset behind each line, and the turns up to there. */
  readonly ends: { readonly end: number; readonly turns: number }[] = [{ end: 0, turns: 0 }];

  constructor(path: string) {
    this.#file = openSync(path, "a");
  }

  grow(bytes: number): void {
    while (this.#waiting.length < bytes) {
      const next = this.#rollouts.next();
      if (next.done === true) throw new Error("The generator of rollouts has ended.");
      const line = Buffer.from(`${JSON.stringify(next.value)}\n`);
      const before = this.ends.at(-1) ?? { end: 0, turns: 0 };
      this.ends.push({ end: before.end + line.length, turns: before.turns + next.value.turns.length });
      this.#waiting = Buffer.concat([this.#waiting, line]);
    }
    writeSync(this.#file, this.#waiting.subarray(0, bytes));
    this.#waiting = this.#waiting.subarray(bytes);
  }

  /** Writes the rest of the last line. */
  finish(): void {
    this.grow(this.#waiting.length);
    closeSync(this.#file);
  }
}

interface Faults {
  lost: number;
  partial: number;
  duplicated: number;
}

/**
 * T10: a process that follows a growing file is killed again and again. After each kill the archive is opened, and must
 * hold exactly the lines up to the last of them, and at least those that were reported.
 */
export async function benchCrash(options: {
  readonly folder: string;
  readonly kills: number;
}): Promise<BenchRow[]> {
  const path = join(options.folder, "growing.jsonl");
  const database = join(options.folder, "crash.duckdb");
  const child = join(options.folder, "crashChild.cjs");
  await build({
    entryPoints: [join(here, "crashChild.ts")],
    outfile: child,
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["@duckdb/*"],
    logLevel: "error",
  });
  const file = new GrowingFile(path);
  file.grow(100_000);
  const random = seededRandom(21);
  const faults: Faults = { lost: 0, partial: 0, duplicated: 0 };
  const reopens: number[] = [];
  let moved = 0;
  let before = 0;
  for (let kill = 0; kill < options.kills; kill++) {
    const reported = await followUntilKilled({
      args: [child, path, database, options.folder],
      after: random() * 250,
      file,
    });
    const start = performance.now();
    const store = await openStore({ path: database, evidenceRoot: options.folder, threads: 1 });
    reopens.push(performance.now() - start);
    const consumed = await inspect(store, file, faults);
    await store.close();
    if (consumed < reported) faults.lost++;
    if (consumed > before) moved++;
    before = consumed;
  }
  file.finish();
  const store = await openStore({ path: database, evidenceRoot: options.folder, threads: 1 });
  await ingestFile(store, { path, kind: "rollouts", version: "v1", run: "bench", final: true });
  const consumed = await inspect(store, file, faults);
  await store.close();
  const last = file.ends.at(-1)?.end;
  if (consumed !== last)
    throw new Error(`${consumed} of ${String(last)} bytes are in the archive at the end.`);
  const { lost, partial, duplicated } = faults;
  return [
    {
      name: `T10 ${options.kills} kills -9: lost + partial + duplicated`,
      measured: lost + partial + duplicated,
      target: 0,
      unit: "count",
      detail: `${lost} lost, ${partial} partial, ${duplicated} duplicated; ${file.ends.length - 1} rollouts, ${moved} of the kills after a commit`,
    },
    {
      name: `T10 reopening after a kill, longest`,
      measured: Math.max(...reopens),
      target: 1000,
      unit: "ms",
      detail: `${options.kills} times`,
    },
  ];
}

/** Answers the last offset that the child reported before it was killed. */
async function followUntilKilled(options: {
  readonly args: readonly string[];
  readonly after: number;
  readonly file: GrowingFile;
}): Promise<number> {
  const child = spawn(process.execPath, options.args, {
    stdio: ["ignore", "pipe", "inherit"],
    // The bundle lies outside the repository and finds the database library here.
    env: { ...process.env, NODE_PATH: join(here, "../..", "node_modules") },
  });
  const closed = once(child, "close");
  let said = "";
  let growing: NodeJS.Timeout | undefined;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (said === "") {
      growing = setInterval(() => options.file.grow(7001), 4);
      setTimeout(() => child.kill("SIGKILL"), options.after);
    }
    said += text;
  });
  await closed;
  clearInterval(growing);
  if (said === "") throw new Error("A child ended before it opened the archive.");
  return Number(said.slice(0, said.lastIndexOf("\n")).split("\n").at(-1));
}

/** Compares the archive with the file up to the last line that it holds; answers where in the file that line ends. */
async function inspect(store: Store, file: GrowingFile, faults: Faults): Promise<number> {
  const [row] = await store.query({
    sql: `SELECT coalesce(max(line), 0) AS lines, count(*) AS rollouts, count(DISTINCT id) AS ids,
                 (SELECT count(*) FROM turns) AS turns FROM rollouts`,
    params: [],
  });
  const [lines = 0, rollouts, ids, turns] = ["lines", "rollouts", "ids", "turns"].map((name) =>
    Number(row?.[name]),
  );
  const reached = file.ends[lines];
  if (ids !== rollouts) faults.duplicated++;
  if (rollouts !== lines || turns !== reached?.turns) faults.partial++;
  return reached?.end ?? 0;
}
