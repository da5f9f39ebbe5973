import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { Following, snapshot } from "../support/attach/following.ts";
import { skipBecause } from "../support/base/skip.ts";
import { processesOf, until } from "../support/runner/jobs.ts";
import { hostProblem, startTestHost, type TestHost } from "../support/ssh/host.ts";
import { runEvotrainer } from "./cli.ts";
import { verlSample } from "./importAnswers.ts";

const samples = (step: number, count: number): string =>
  Array.from({ length: count }, (_, i) =>
    verlSample({ input: `user\nquestion ${i}\nassistant\n`, step }),
  ).join("");

describe("attach over ssh", function () {
  this.timeout(240_000);
  let host: TestHost;
  let started: TestHost | undefined;
  let cwd = "";
  let run = "";
  let following: Following | undefined;
  before(async function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
    started = host = await startTestHost({ profile: { ".profile": "echo welcome\n" } });
    process.env["EVOTRAINER_SSH"] = host.program;
  });
  after(async () => {
    delete process.env["EVOTRAINER_SSH"];
    await started?.stop();
  });
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "evo-attach-"));
    run = join(host.home, "it's a run/dump");
    mkdirSync(run, { recursive: true });
  });
  afterEach(async () => {
    await following?.end("SIGKILL");
    following = undefined;
    rmSync(cwd, { recursive: true, force: true });
    rmSync(join(host.home, "it's a run"), { recursive: true, force: true });
  });
  const target = "testhost:it's a run/dump";
  const follow = (): Following => (following = new Following(cwd, target, "--every", "1"));

  it("follows a folder of a host that only ssh knows, from a folder without a project", async () => {
    writeFileSync(join(run, "1.jsonl"), samples(1, 8));
    writeFileSync(join(run, "metrics.jsonl"), '{"step":1,"reward":0.5}\n');
    writeFileSync(join(run, "model.safetensors"), "x".repeat(1000));
    const attached = follow();
    const first = await attached.until("the first step", ({ rollouts }) => rollouts === 8);
    assert.equal(first.version, "dump");
    assert.deepEqual(first.metrics, [{ name: "reward", step: 1, value: 0.5 }]);
    const line = verlSample({ step: 2 });
    appendFileSync(join(run, "2.jsonl"), samples(2, 2) + line.slice(0, 30));
    await attached.until("the second step", ({ rollouts }) => rollouts === 10);
    appendFileSync(join(run, "2.jsonl"), line.slice(30));
    await attached.until("the line that was half written", ({ rollouts }) => rollouts === 11);
    writeFileSync(join(run, "1.jsonl"), samples(1, 3));
    const cut = await attached.until("the cut file", ({ rollouts }) => rollouts === 6);
    assert.equal(cut.replaced.length, 1);
    const before = snapshot(host.home);
    assert.equal(await attached.end(), 130);
    assert.deepEqual(snapshot(host.home), before);
    assert.ok(!existsSync(join(host.home, ".evotrainer")), "nothing is written there");
    await until("nothing runs on", () => processesOf(host.home).length === 0);
    const [copy = ""] = readdirSync(join(cwd, ".evotrainer/attached"));
    assert.deepEqual(readdirSync(join(cwd, ".evotrainer/attached", copy, "dump")).sort(), [
      "1.jsonl",
      "2.jsonl",
      "metrics.jsonl",
    ]);
  });

  it("goes on after it was killed, and after connections were lost", async () => {
    writeFileSync(join(run, "1.jsonl"), samples(1, 8));
    await follow().until("the first step", ({ rollouts }) => rollouts === 8);
    await following?.end("SIGKILL");
    appendFileSync(join(run, "1.jsonl"), samples(1, 2));
    const attached = follow();
    const now = await attached.until("what came meanwhile", ({ rollouts }) => rollouts === 10);
    assert.deepEqual([now.added.rollouts, now.replaced], [2, []]);
    host.killSessions();
    appendFileSync(join(run, "2.jsonl"), samples(2, 4));
    await attached.until("the second step", ({ rollouts }) => rollouts === 14);
    host.proxy.reset();
    appendFileSync(join(run, "2.jsonl"), samples(2, 4));
    await attached.until("the rest of it", ({ rollouts }) => rollouts === 18);
  });

  it("follows a folder of a host that has BusyBox and nothing else", async function () {
    if (userInfo().uid !== 0) skipBecause(this, "only root can give the server of the tests another shell");
    const busybox = ["/usr/bin/busybox", "/bin/busybox"].find((path) => existsSync(path));
    if (busybox === undefined) skipBecause(this, "there is no BusyBox; install the package busybox");
    const applets = mkdtempSync(join(tmpdir(), "evo-busybox-"));
    execFileSync(busybox, ["--install", "-s", applets]);
    const small = await startTestHost({ shell: join(applets, "ash"), environment: { PATH: applets } });
    try {
      process.env["EVOTRAINER_SSH"] = small.program;
      mkdirSync(join(small.home, "a run"));
      writeFileSync(join(small.home, "a run/1.jsonl"), samples(1, 8));
      following = new Following(cwd, "testhost:a run", "--every", "1");
      await following.until("the first step", ({ rollouts }) => rollouts === 8);
      const line = verlSample({ step: 2 });
      appendFileSync(join(small.home, "a run/1.jsonl"), samples(1, 2) + line.slice(0, 30));
      await following.until("lines that were added", ({ rollouts }) => rollouts === 10);
      writeFileSync(join(small.home, "a run/1.jsonl"), samples(1, 3));
      const cut = await following.until("the cut file", ({ rollouts }) => rollouts === 3);
      assert.equal(cut.replaced.length, 1);
      await following.end();
    } finally {
      process.env["EVOTRAINER_SSH"] = host.program;
      await small.stop();
      rmSync(applets, { recursive: true, force: true });
    }
  });

  it("says what is not there", async () => {
    const folder = await runEvotrainer(cwd, "attach", "testhost:nowhere", "--once");
    assert.equal(folder.code, 2);
    assert.match(folder.stderr, /^There is no folder nowhere on testhost, or you may not read it;/);
    const option = await runEvotrainer(cwd, "attach", "-oProxyCommand=touch:runs", "--once");
    assert.equal(option.code, 2);
    const name = await runEvotrainer(cwd, "attach", "--once", "--", "-oProxyCommand=touch:runs");
    assert.equal(name.code, 2);
    assert.match(name.stderr, /is no host/);
  });
});
