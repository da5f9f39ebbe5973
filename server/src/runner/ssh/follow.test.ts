import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { HarnessError } from "../../base/errors.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { processesOf, until } from "../../../../test/support/runner/jobs.ts";
import type { JobFile } from "../keeper/statusReport.ts";
import { Bandwidth } from "./bandwidth.ts";
import { FollowSlots } from "./followSlots.ts";
import { HostShell } from "./hostShell.ts";
import { Mirror } from "./mirror.ts";
import { NoRoom, Room } from "./room.ts";
import { hostProblem, startTestHost, type TestHost } from "../../../../test/support/ssh/host.ts";

describe("following a job's files", function () {
  this.timeout(90_000);
  let started: TestHost | undefined;
  let host: TestHost;
  let shell: HostShell;
  let here = "";
  let there = "";
  const mirrors: Mirror[] = [];
  before(async function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
    started = host = await startTestHost();
    shell = new HostShell(host.route());
  });
  beforeEach(() => {
    here = realpathSync(mkdtempSync(join(tmpdir(), "evo follow ")));
    there = mkdtempSync(join(host.home, "it's a run "));
  });
  afterEach(async () => {
    await Promise.all(mirrors.splice(0).map((mirror) => mirror.stop()));
    rmSync(here, { recursive: true, force: true });
  });
  after(async () => {
    if (started === undefined) return;
    shell.close();
    await started.stop();
  });

  interface Options {
    readonly compress?: "none" | "gzip";
    readonly megabytes?: number;
    readonly quota?: number;
    readonly limitBytes?: number;
  }
  function mirror({ compress = "none", megabytes, quota, limitBytes = 1e12 }: Options = {}): Mirror {
    const made = new Mirror({
      shell,
      route: host.route(),
      from: there,
      to: here,
      limitBytes,
      compress,
      slots: new FollowSlots(),
      bandwidth: new Bandwidth(megabytes),
      room: new Room({ host: "testhost", runsDirectory: join(here, ".."), gigabytes: quota }),
    });
    mirrors.push(made);
    return made;
  }
  const source = (name: string): string => join(there, name);
  const copy = (name: string): string => join(here, name);
  const textHere = (name: string): string => (existsSync(copy(name)) ? readFileSync(copy(name), "utf8") : "");
  /** What a status would tell of these files now. */
  function told(...names: string[]): Map<string, JobFile> {
    return new Map(
      names.map((name) => {
        const { size, dev, ino, birthtimeMs } = statSync(source(name));
        return [name, { size, id: `${dev}:${ino}:${Math.floor(birthtimeMs / 1000)}` }] as const;
      }),
    );
  }
  async function pull(of: Mirror, isOver: boolean, ...names: string[]): Promise<boolean> {
    const before = await of.sizes();
    return of.pull({ files: told(...names), before, isOver });
  }
  /** Asks until all that a job that is over wrote is here. */
  const finish = (of: Mirror, ...names: string[]): Promise<true> =>
    until("all is here", async () => (await pull(of, true, ...names)) || undefined, 60);
  async function hash(path: string): Promise<string> {
    const sum = createHash("sha256");
    await pipeline(createReadStream(path), sum);
    return sum.digest("hex");
  }
  const tails = (): number => processesOf(there).filter((p) => /tail|gzip|sleep/.test(p.command)).length;

  for (const compress of ["none", "gzip"] as const)
    it(`fetches each line as it is written, without asking for it (${compress})`, async () => {
      const m = mirror({ compress });
      for (const name of ["rollouts.jsonl", "stdout.log"]) writeFileSync(source(name), "0\n");
      await pull(m, false, "rollouts.jsonl", "stdout.log");
      let expected = "0\n";
      for (let line = 1; line <= 5; line++) {
        expected += `${line}\n`;
        for (const name of ["rollouts.jsonl", "stdout.log"]) appendFileSync(source(name), `${line}\n`);
        for (const name of ["rollouts.jsonl", "stdout.log"])
          await until(`line ${line} of ${name}`, () => textHere(name) === expected);
      }
      assert.equal(await pull(m, true, "rollouts.jsonl", "stdout.log"), true);
      await m.stop();
      await until("nobody follows there", () => tails() === 0);
      assert.equal(textHere("rollouts.jsonl"), expected);
    });

  for (const compress of ["none", "gzip"] as const)
    it(`loses and repeats nothing over cuts, kills and freezes (${compress})`, async () => {
      const m = mirror({ compress });
      const block = Buffer.alloc(500_000, "0123456789abcdef\n");
      const write = (): void => {
        for (let i = 0; i < 8; i++) {
          block.writeUInt32BE((Math.random() * 2 ** 32) >>> 0, i * 50_000);
          appendFileSync(source("rollouts.jsonl"), block);
        }
      };
      write();
      await pull(m, false, "rollouts.jsonl");
      for (let fault = 0; fault < 6; fault++) {
        write();
        const size = statSync(copy("rollouts.jsonl")).size;
        if (fault % 3 === 0) host.proxy.reset();
        else if (fault % 3 === 1) host.killSessions();
        else host.proxy.freeze();
        write();
        if (fault % 3 === 2) {
          host.proxy.reset();
          host.proxy.thaw();
        }
        await until("it goes on", () => statSync(copy("rollouts.jsonl")).size > size);
        await pull(m, false, "rollouts.jsonl");
      }
      await finish(m, "rollouts.jsonl");
      assert.equal(statSync(copy("rollouts.jsonl")).size, 52_000_000);
      assert.equal(await hash(copy("rollouts.jsonl")), await hash(source("rollouts.jsonl")));
      await m.stop();
      await until("nobody follows there", () => tails() === 0);
    });

  it("starts again when a file was replaced, emptied, or cut and then written past the old end", async () => {
    const m = mirror();
    for (const name of ["metrics.jsonl", "rollouts.jsonl", "stdout.log"])
      writeFileSync(source(name), "old\nold\n");
    const names = ["metrics.jsonl", "rollouts.jsonl", "stdout.log"];
    await pull(m, false, ...names);
    for (const name of names) await until(name, () => textHere(name) === "old\nold\n");
    writeFileSync(source("new"), "other file, and longer\n");
    renameSync(source("new"), source("metrics.jsonl"));
    truncateSync(source("rollouts.jsonl"));
    appendFileSync(source("rollouts.jsonl"), "new\n");
    writeFileSync(source("stdout.log.1"), "old\nold\n");
    truncateSync(source("stdout.log"));
    appendFileSync(source("stdout.log"), "all of this is new, and it is longer than what was there before\n");
    names.push("stdout.log.1");
    await until("all is as it is there", async () => {
      await pull(m, false, ...names);
      return names.every((name) => textHere(name) === readFileSync(source(name), "utf8"));
    });
    appendFileSync(source("metrics.jsonl"), "more\n");
    await until("it is followed again", () => textHere("metrics.jsonl") === "other file, and longer\nmore\n");
  });

  it("reads no faster than it writes, and stays within the bandwidth", async () => {
    const m = mirror({ megabytes: 4 });
    writeFileSync(source("rollouts.jsonl"), Buffer.alloc(60_000_000, "x"));
    const start = performance.now();
    await pull(m, false, "rollouts.jsonl");
    await until("some is here", () =>
      existsSync(copy("rollouts.jsonl")) ? statSync(copy("rollouts.jsonl")).size > 4_000_000 : false,
    );
    const { size } = statSync(copy("rollouts.jsonl"));
    // Twice of what the limit allows would be a limit that does not hold.
    assert.ok(size < 2 * (4e6 * ((performance.now() - start) / 1000) + 8e6), String(size));
  });

  for (const megabytes of [undefined, 10])
    it(`uses little memory for a job that writes hundreds of megabytes a second (${megabytes ?? "as it goes"})`, async () => {
      // Far more than the memory that it may use.
      const total = 300e6;
      const m = mirror(megabytes === undefined ? {} : { megabytes });
      writeFileSync(source("rollouts.jsonl"), "begin\n");
      await pull(m, false, "rollouts.jsonl");
      const before = process.memoryUsage().rss;
      let most = before;
      const sampler = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
      const script = `yes | head -c ${total} >>"$1"`;
      const writer = spawn("sh", ["-c", script, "sh", source("rollouts.jsonl")]);
      await once(writer, "exit");
      assert.equal(statSync(source("rollouts.jsonl")).size, "begin\n".length + total);
      if (megabytes === undefined) await finish(m, "rollouts.jsonl");
      const { size } = statSync(copy("rollouts.jsonl"));
      clearInterval(sampler);
      assert.ok(megabytes === undefined ? size === "begin\n".length + total : size < total / 2, String(size));
      assert.ok(most - before < 100e6, `${(most - before) / 1e6} MB more`);
    });

  it("lets a job run on when the local disk is full, and fetches the rest once there is room", async () => {
    const run = join(here, "run");
    mkdirSync(run);
    writeFileSync(join(run, "host.json"), '{"host":"testhost"}');
    const others = join(here, "other");
    mkdirSync(others);
    writeFileSync(join(others, "host.json"), '{"host":"testhost"}');
    writeFileSync(join(others, "rollouts.jsonl"), Buffer.alloc(3_000_000));
    const room = new Room({ host: "testhost", runsDirectory: here, gigabytes: 0.004 });
    const m = new Mirror({
      shell,
      route: host.route(),
      from: there,
      to: run,
      limitBytes: 1e12,
      compress: "none",
      slots: new FollowSlots(),
      bandwidth: new Bandwidth(undefined),
      room,
    });
    mirrors.push(m);
    writeFileSync(source("rollouts.jsonl"), Buffer.alloc(3_000_000, "x"));
    await until("there is no room", async () =>
      pull(m, false, "rollouts.jsonl").then(
        () => false,
        (e: unknown) => e instanceof NoRoom && /artefacts\.quota/.test(e.message),
      ),
    );
    assert.ok(statSync(join(run, "rollouts.jsonl")).size < 3_000_000);
    rmSync(join(others, "rollouts.jsonl"));
    await until(
      "it is here",
      async () => (await pull(m, true, "rollouts.jsonl").catch(() => false)) || undefined,
      60,
    );
    assert.equal(await hash(join(run, "rollouts.jsonl")), await hash(source("rollouts.jsonl")));
  });

  it("accepts no more than a run may hold, even in a compressed stream", async () => {
    for (const compress of ["none", "gzip"] as const) {
      const m = mirror({ compress, limitBytes: 1_000_000 });
      writeFileSync(source("rollouts.jsonl"), Buffer.alloc(50_000_000));
      await until(compress, async () =>
        pull(m, false, "rollouts.jsonl").then(
          () => false,
          (e: unknown) => HarnessError.is(e, "diskFull") && !(e instanceof NoRoom),
        ),
      );
      assert.ok(statSync(copy("rollouts.jsonl")).size <= 1_000_000);
      await m.stop();
    }
  });
});
