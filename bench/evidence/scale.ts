import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeSynthetic } from "../generate.ts";
import type { BenchRow, SkippedRow } from "../row.ts";

const cli = join(fileURLToPath(new URL(".", import.meta.url)), "../../dist/cli.cjs");

/** What a verb took: seconds by the clock, seconds of processor, and the most memory it held, in MiB. */
interface Taken {
  readonly seconds: number;
  readonly processor: number;
  readonly memory: number;
}

/** What a person does with rollouts of two versions, one after the other. */
const verbs = [
  { name: "import", args: ["import", "a.jsonl", "b.jsonl"] },
  { name: "diagnose", args: ["diagnose", "a"] },
  { name: "first page", args: ["rollouts", "a", "--limit", "50"] },
  { name: "compare", args: ["compare", "a", "b"] },
] as const;
type Verb = (typeof verbs)[number]["name"];

/**
 * Whether an archive of ten times as many rollouts takes ten times as long, and no more memory than that: the verbs from the
 * command line, each in a process of its own, on two versions of 0.95 KB rollouts. The larger side is as many rollouts as asked for.
 */
export async function benchScale(options: {
  readonly folder: string;
  readonly rows: number;
}): Promise<(BenchRow | SkippedRow)[]> {
  const { bavail, bsize } = await statfs(options.folder);
  const needed = options.rows * 1500;
  if (bavail * bsize < needed)
    return [
      { name: "ten times as many rollouts", skipped: `it needs ${(needed / 1e9).toFixed(1)} GB of disk` },
    ];
  const few = await takenBy(options.folder, Math.round(options.rows / 10));
  const many = await takenBy(options.folder, options.rows);
  return verbs.map(({ name }) => {
    const [a, b] = [few.of(name), many.of(name)];
    return {
      name: `${name}: processor time of ${options.rows.toLocaleString("en")} rollouts / of a tenth of them`,
      measured: b.processor / a.processor,
      // Ten, and what noise and a logarithm of the sorting add.
      target: 12,
      unit: "ratio",
      detail: `${shown(b)} against ${shown(a)}; ${(many.bytes / 1e9).toFixed(2)} GB, archive ${(many.archive / 1e9).toFixed(2)} GB`,
    };
  });
}

const shown = ({ seconds, processor, memory }: Taken): string =>
  `${seconds.toFixed(1)} s (processor ${processor.toFixed(1)} s, at most ${memory.toFixed(0)} MiB)`;

async function takenBy(
  folder: string,
  rows: number,
): Promise<{ of: (verb: Verb) => Taken; bytes: number; archive: number }> {
  const place = join(folder, `scale-${rows}`);
  let bytes = 0;
  for (const [i, version] of ["a", "b"].entries()) {
    await mkdir(place, { recursive: true });
    const of = { rows: Math.round(rows / 2), textBytes: 150, exchanges: 1, seed: i + 1, run: version };
    bytes += await writeSynthetic(join(place, `${version}.jsonl`), of);
  }
  try {
    const taken = new Map<Verb, Taken>();
    for (const { name, args } of verbs) taken.set(name, await timed(args, place));
    const archive = (await stat(join(place, ".evotrainer", "archive.duckdb"))).size;
    const nothing = { seconds: NaN, processor: NaN, memory: NaN };
    return { of: (verb) => taken.get(verb) ?? nothing, bytes, archive };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Runs a verb to its end; findings (exit code 1) are no failure. */
function timed(args: readonly string[], cwd: string): Promise<Taken> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(process.execPath, [cli, ...args], { cwd, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-2000)));
    let seen = { processor: NaN, memory: NaN };
    const look = setInterval(() => {
      seen = (child.pid === undefined ? undefined : usedBy(child.pid)) ?? seen;
    }, 50);
    child.on("error", reject);
    child.on("close", (code) => {
      clearInterval(look);
      if (code === 0 || code === 1) resolve({ seconds: (performance.now() - start) / 1000, ...seen });
      else reject(new Error(`evotrainer ${args.join(" ")} ended with ${String(code)}: ${said}`));
    });
  });
}

/** What the kernel says of a process that runs; nothing where there is no /proc. */
function usedBy(pid: number): { processor: number; memory: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    // A process that has ended is still listed, without its memory.
    if (peak === undefined) return undefined;
    // Fields 14 and 15 of proc(5), in hundredths of a second.
    return { processor: (Number(fields[11]) + Number(fields[12])) / 100, memory: Number(peak) / 1024 };
  } catch {
    return undefined;
  }
}
