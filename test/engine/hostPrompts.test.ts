import assert from "node:assert/strict";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { SshPrompt } from "../../shared/protocol/views/prompt.ts";
import { skipBecause } from "../support/base/skip.ts";
import { offerAnswers } from "../../server/src/engine/hosts/relay.ts";
import { attachAnswerer } from "../../server/src/engine/hosts/whoAnswers.ts";
import { until } from "../support/runner/jobs.ts";
import { hostProblem, startTestHost, type TestHost } from "../support/ssh/host.ts";
import { hostTool } from "../support/runner/tools.ts";
import { evotrainer } from "./cli.ts";
import { makeToyProject, oneChange, testedOnce, toyFiles } from "./toyProject.ts";

const secret = "a passphrase, 'quoted'";
const cli = resolve(import.meta.dirname, "../../dist/cli.cjs");

describe("ssh questions and hosts on the command line", function () {
  this.timeout(120_000);
  let started: TestHost | undefined;
  let host: TestHost;
  let root = "";
  const children: ChildProcessWithoutNullStreams[] = [];
  before(async function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
    started = host = await startTestHost({ passphrase: secret });
    process.env["EVOTRAINER_SSH_CONFIG"] = join(host.root, "ssh_config");
    process.env["EVOTRAINER_HOSTS"] = join(host.root, "own", "hosts.yaml");
    root = makeToyProject({ "evotrainer.yaml": oneChange(testedOnce(toyFiles["evotrainer.yaml"] ?? "")) });
  });
  after(async () => {
    delete process.env["EVOTRAINER_SSH_CONFIG"];
    delete process.env["EVOTRAINER_HOSTS"];
    for (const child of children) child.kill("SIGKILL");
    if (root !== "") rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    await started?.stop();
  });

  /** The command line in a session of its own, where no terminal is to be found. */
  async function alone(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const child = spawn(process.execPath, [cli, ...args], { cwd: root, detached: true });
    children.push(child);
    child.stdin.end();
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (d: Buffer) => (stdout += d.toString()));
    child.stderr.on("data", (d: Buffer) => (stderr += d.toString()));
    const [code] = (await once(child, "close")) as [number];
    return { code, stdout, stderr };
  }

  it("a host from the ssh configuration is listed, added with the comments kept, and not added twice", () => {
    const file = join(root, "evotrainer.yaml");
    const before = readFileSync(file, "utf8");
    const listed = evotrainer(root, "host", "add");
    assert.match(listed.stdout, /testhost +\S+@127\.0\.0\.1:\d+/);
    const added = evotrainer(root, "host", "add", "testhost", "--no-check");
    assert.equal(added.code, 0, added.stderr);
    assert.equal(readFileSync(file, "utf8"), `${before}hosts:\n  testhost: {}\n`);
    assert.equal(evotrainer(root, "host", "add", "testhost", "--no-check").code, 2);
    assert.equal(evotrainer(root, "host", "add", "bad", "--ssh", "-oProxyCommand=x", "--no-check").code, 2);
    const own = evotrainer(
      root,
      "host",
      "add",
      "mine",
      "--ssh",
      "testhost",
      "--gpus",
      "1",
      "--own",
      "--no-check",
    );
    assert.equal(own.code, 0, own.stderr);
    assert.equal(
      readFileSync(join(host.root, "own", "hosts.yaml"), "utf8"),
      "hosts:\n  mine: { ssh: testhost, gpus: 1 }\n",
    );
    const all = evotrainer(root, "host", "list").stdout;
    assert.match(all, /mine +testhost +1 +own file/);
    assert.match(all, /testhost +testhost +0 +evotrainer\.yaml/);
  });

  it("hosts from the user's file come after the project's, and mistakes in that file are reported", () => {
    const file = join(host.root, "own", "hosts.yaml");
    const kept = readFileSync(file, "utf8");
    writeFileSync(file, "hosts:\n  testhost: { gpus: 8 }\n  Bad Name: {}\n  odd: { ssh: '-x' }\n");
    const { stdout, stderr } = evotrainer(root, "host", "list");
    assert.match(stdout, /testhost +testhost +0 +evotrainer\.yaml/);
    assert.match(stderr, /"Bad Name" is left out[^]*"odd"\.ssh is left out/);
    assert.doesNotMatch(stdout, /odd/);
    writeFileSync(file, kept);
  });

  it("nobody is asked when nobody can answer, and the error says what to do", async () => {
    const { code, stdout } = await alone("doctor", "testhost");
    assert.equal(code, 1);
    assert.match(stdout, /nobody was there to answer.*ssh-add/);
  });

  it("the terminal asks, and shows nothing of the answer", async function () {
    if (hostTool("script") === undefined) skipBecause(this, "there is no script(1) that gives a terminal");
    const child = spawn(
      "script",
      ["-qec", `'${process.execPath}' '${cli}' doctor testhost </dev/null`, "/dev/null"],
      {
        cwd: root,
      },
    );
    children.push(child);
    let shown = "";
    child.stdout.on("data", (d: Buffer) => (shown += d.toString()));
    await until("it asks", () => shown.includes("Enter passphrase for key"));
    child.stdin.write(`wrong\r`);
    await until("it asks once more", () => shown.includes("the last answer was wrong"));
    child.stdin.write(`${secret}\r`);
    await once(child, "close");
    const plain = stripVTControlCharacters(shown);
    assert.match(plain, /ok +login/);
    assert.match(plain, /ok +keeper +ran a job/);
    assert.ok(!shown.includes(secret) && !shown.includes("wrong\r"), shown);
  });

  it("a process without a terminal asks the editor that has the project open", async () => {
    const asked: SshPrompt[] = [];
    const desk = attachAnswerer({
      canAsk: () => true,
      ask: (prompt) => {
        asked.push(prompt);
        return Promise.resolve(secret);
      },
    });
    writeFileSync(
      join(host.root, "own", "hosts.yaml"),
      `hosts: { mine: { ssh: testhost, environment: { PATH: "${dirname(process.execPath)}:/usr/bin:/bin" } } }\n`,
    );
    const end = offerAnswers(root, desk);
    try {
      const { code, stdout, stderr } = await alone("evolve", "--generations", "1", "--host", "mine");
      assert.equal(code, 0, stdout + stderr);
    } finally {
      end();
    }
    assert.deepEqual(
      asked.map(({ host: name, kind, repeated }) => [name, kind, repeated]),
      [["mine", "secret", false]],
    );
    assert.ok(existsSync(join(host.home, ".evotrainer/work")));
    for (const file of ["evolution.jsonl", "evolution.json"])
      assert.ok(!readFileSync(join(root, ".evotrainer", file), "utf8").includes(secret));
    assert.match((await alone("doctor", "mine")).stdout, /nobody was there/);
  });
});
