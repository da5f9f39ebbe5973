import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from "node:fs";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { JobFile } from "../../server/src/runner/keeper/statusReport.ts";
import type { Mirror } from "../../server/src/runner/ssh/mirror.ts";
import { hostCommand } from "../../server/src/runner/ssh/sshArguments.ts";
import { shellWord } from "../../server/src/base/shellWord.ts";
import { least, median, quantile, type BenchRow } from "../row.ts";
import { timed, type BenchHost } from "./runnerHost.ts";

const name = "rollouts.jsonl";
const megabytes = 256;

/** What a status would tell of a file. */
function told(path: string): Map<string, JobFile> {
  const { size, dev, ino, birthtimeMs } = statSync(path);
  return new Map([[name, { size, id: `${dev}:${ino}:${Math.floor(birthtimeMs / 1000)}` }]]);
}

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

async function follow(mirror: Mirror, path: string): Promise<void> {
  const before = await mirror.sizes();
  await mirror.pull({ files: told(path), before, isOver: false });
}

/** Following a large file from its beginning, against `ssh host cat` into a file over the same connection. */
export async function benchFollowing(bench: BenchHost, { rounds }: { rounds: number }): Promise<BenchRow> {
  const there = join(bench.host.home, "big run");
  mkdirSync(there);
  const source = join(there, name);
  const block = Buffer.alloc(1e6, `${"0123456789abcdef".repeat(12)}\n`);
  for (let i = 0; i < megabytes; i++) appendFileSync(source, block);
  const [ours, cat]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const here = bench.folder("copy");
    const plain = join(here, "cat");
    const file = openSync(plain, "w");
    const catTime = await timed(() => bench.exec(`cat ${shellWord(source)}`, file));
    closeSync(file);
    rmSync(plain);
    const mirror = bench.mirror(there, here);
    const copy = join(here, name);
    const time = await timed(async () => {
      await follow(mirror, source);
      while (sizeOf(copy) < megabytes * 1e6) await delay(2);
    });
    await mirror.stop();
    rmSync(here, { recursive: true });
    if (round === 0) continue;
    ours.push(time);
    cat.push(catTime);
  }
  rmSync(there, { recursive: true });
  const rate = (times: readonly number[]): string => `${((megabytes * 1000) / least(times)).toFixed(0)} MB/s`;
  return {
    name: "runner: time to follow 256 MB / `ssh host cat` into a file",
    measured: median(ours) / median(cat),
    target: 1 / 0.8,
    unit: "ratio",
    detail: `${rate(ours)} / ${rate(cat)}, least of ${rounds}, whose ratio is ${(least(ours) / least(cat)).toFixed(2)}`,
  };
}

/** From a line's write on the host to where it is seen: in the copy here, and in the output of `ssh tail -f`. */
export async function benchLine(bench: BenchHost, { lines }: { lines: number }): Promise<BenchRow> {
  const there = join(bench.host.home, "live run");
  mkdirSync(there);
  const here = bench.folder("live");
  const [source, plain] = [join(there, name), join(there, "plain")];
  for (const path of [source, plain]) writeFileSync(path, "begin\n");
  const mirror = bench.mirror(there, here);
  await follow(mirror, source);
  const copy = join(here, name);
  while (sizeOf(copy) === 0) await delay(2);
  const { program, args } = hostCommand(bench.route, `tail -f ${shellWord(plain)}`, { isMaster: false });
  const tail = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  let came = (): void => undefined;
  tail.stdout.on("data", () => came());
  await new Promise<void>((resolve) => (came = resolve));
  const watcher = watch(copy);
  const [ours, tails]: [number[], number[]] = [[], []];
  const line = `${"x".repeat(900)}\n`;
  for (let round = 0; round < lines; round++) {
    await delay(20);
    const size = sizeOf(copy) + line.length;
    ours.push(
      await timed(
        () =>
          new Promise<void>((resolve) => {
            watcher.removeAllListeners("change").on("change", () => {
              if (sizeOf(copy) >= size) resolve();
            });
            appendFileSync(source, line);
          }),
      ),
    );
    await delay(20);
    tails.push(
      await timed(
        () =>
          new Promise<void>((resolve) => {
            came = resolve;
            appendFileSync(plain, line);
          }),
      ),
    );
  }
  watcher.close();
  tail.kill();
  await mirror.stop();
  rmSync(here, { recursive: true });
  return {
    name: "runner: line on the host to line here / `ssh tail -f`, p50",
    measured: median(ours) / median(tails),
    target: 3,
    unit: "ratio",
    detail: `${median(ours).toFixed(2)} / ${median(tails).toFixed(2)} ms; p95 ${quantile(ours, 0.95).toFixed(1)} / ${quantile(tails, 0.95).toFixed(1)} ms`,
  };
}

/** From the reset of every connection to the first new byte here. */
export async function benchResume(bench: BenchHost, { cuts }: { cuts: number }): Promise<BenchRow> {
  const there = join(bench.host.home, "cut run");
  mkdirSync(there);
  const here = bench.folder("cut");
  const source = join(there, name);
  writeFileSync(source, "begin\n");
  const mirror = bench.mirror(there, here);
  await follow(mirror, source);
  const copy = join(here, name);
  const [times, fresh]: [number[], number[]] = [[], []];
  let size = 6;
  for (let cut = 0; cut <= cuts; cut++) {
    while (sizeOf(copy) < size) await delay(1);
    await bench.shell.run("true");
    await delay(100);
    size += 5;
    const time = await timed(async () => {
      bench.host.proxy.reset();
      appendFileSync(source, "more\n");
      while (sizeOf(copy) < size) await delay(1);
    });
    if (cut > 0) times.push(time);
    fresh.push(await timed(() => connectAnew(bench)));
  }
  await mirror.stop();
  rmSync(here, { recursive: true });
  return {
    name: "runner: cut of all connections to the next byte, median",
    measured: median(times),
    target: 1000,
    unit: "ms",
    detail: `${cuts} cuts, ${least(times).toFixed(0)} to ${Math.max(...times).toFixed(0)} ms; a new connection of ssh takes ${median(fresh).toFixed(0)} ms`,
  };
}

/** A login of its own that does nothing. */
async function connectAnew({ route }: BenchHost): Promise<void> {
  const { program, args } = hostCommand(route, "true", { isMaster: false });
  // The first value of an option counts.
  const child = spawn(program, ["-o", "ControlPath=none", ...args], { stdio: "ignore" });
  await once(child, "close");
}
