import assert from "node:assert/strict";
import { once } from "node:events";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { skipBecause } from "../support/base/skip.ts";
import { hostProblem, startTestHost, type TestHost } from "../support/ssh/host.ts";
import { comparable, evotrainer, lineageOf, startEvotrainer, stateOf } from "./cli.ts";
import { oneChangeLineage } from "./finishedProject.ts";
import { makeToyProject, oneChangeFiles } from "./toyProject.ts";

const base = oneChangeFiles["evotrainer.yaml"] ?? "";

describe("evolve on an SSH host", function () {
  this.timeout(240_000);
  const made: string[] = [];
  let started: TestHost | undefined;
  let host: TestHost;
  const project = (): string => {
    const root = makeToyProject({
      "evotrainer.yaml": `${base}hosts: { box: { ssh: testhost, environment: { PATH: "${dirname(process.execPath)}:/usr/bin:/bin" } } }\n`,
    });
    made.push(root);
    return root;
  };
  let expected: unknown;
  before(async function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
    started = host = await startTestHost();
    process.env["EVOTRAINER_SSH"] = host.program;
    expected = oneChangeLineage();
  });
  after(async () => {
    delete process.env["EVOTRAINER_SSH"];
    for (const root of made) rmSync(root, { recursive: true, force: true });
    await started?.stop();
  });

  const seen = new Set<string>();
  /** Nothing is on the host that is not needed, and evidence is here byte by byte. */
  function assertSame(root: string): void {
    const work = join(host.home, ".evotrainer/work");
    const [name = assert.fail("the host has the runs")] = readdirSync(work).filter((n) => !seen.has(n));
    seen.add(name);
    const own = join(work, name);
    for (const run of readdirSync(join(own, "runs")))
      for (const name of ["rollouts.jsonl", "metrics.jsonl", "stdout.log", "stderr.log"])
        if (existsSync(join(own, "runs", run, name)) && readFileSync(join(own, "runs", run, name)).length > 0)
          assert.ok(
            readFileSync(join(own, "runs", run, name)).equals(
              readFileSync(join(root, ".evotrainer/runs", run, name)),
            ),
            `${run}/${name}`,
          );
    assert.deepEqual(readdirSync(join(own, "checkouts")), []);
    assert.equal(
      execFileSync("git", ["worktree", "list"], { cwd: root, encoding: "utf8" }).trim().split("\n").length,
      1,
    );
  }
  it("gives the same lineage as on this machine", async () => {
    const root = project();
    const child = startEvotrainer(root, "evolve", "--generations", "1", "--host", "box");
    assert.deepEqual(await once(child, "exit"), [0, null]);
    assert.deepEqual(comparable(lineageOf(root)), expected);
    assertSame(root);
    const listed = evotrainer(root, "jobs");
    assert.match(listed.stdout, /v0\.selection\.s1 +finished +box/);
    assert.equal(evotrainer(root, "logs", "v0.selection.s1").code, 0);
    const elsewhere = evotrainer(root, "evolve", "--generations", "1", "--host", "nowhere");
    assert.equal(elsewhere.code, 2);
    assert.match(elsewhere.stderr, /no host "nowhere"; there is box/);
  });

  it("continues after the engine was killed and the network froze in the middle", async () => {
    const root = project();
    for (let round = 0; round < 3; round++) {
      const child = startEvotrainer(root, "evolve", "--generations", "1", "--host", "box");
      const over = once(child, "exit");
      const wanted = ["base/train", "baseline/train", "evolve/train"][round];
      while (stateOf(root) !== wanted && child.exitCode === null) await delay(5);
      await delay(300 * round);
      host.proxy.freeze();
      child.kill("SIGKILL");
      await over;
      host.proxy.reset();
      host.proxy.thaw();
    }
    const child = startEvotrainer(root, "evolve", "--generations", "1", "--host", "box");
    const over = once(child, "exit") as Promise<[number | null]>;
    // A few cuts while it works.
    for (let cut = 0; cut < 3 && child.exitCode === null; cut++) {
      await delay(1500);
      if (cut === 1) host.killSessions();
      else host.proxy.reset();
    }
    assert.equal((await over)[0], 0);
    assert.deepEqual(comparable(lineageOf(root)), expected);
    assertSame(root);
  });
});
