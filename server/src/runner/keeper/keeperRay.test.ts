import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { readJobFacts } from "../job/jobDirectory.ts";
import { processesOf, until } from "../../../../test/support/runner/jobs.ts";
import { endedEverySecondTime, Host, shells, withoutProc } from "../../../../test/support/runner/keeper.ts";

const told = `trap 'echo TERM >>"$EVO_RUN_DIR/terms"' TERM; : >$EVO_RUN_DIR/ready; while :; do sleep 0.05; done`;
const saves = `trap 'sleep 0.3; exit 0' TERM; : >$EVO_RUN_DIR/ready; while :; do sleep 0.05; done`;

for (const shell of shells)
  describe(`the keeper as Ray's entrypoint, under ${shell.name}`, function () {
    this.timeout(60_000);
    let host: Host;
    before(function () {
      if (process.platform !== "linux") skipBecause(this, "the test looks into /proc, which only Linux has");
      const missing = shell.missing();
      if (missing !== undefined) skipBecause(this, missing);
    });
    beforeEach(() => {
      host = new Host(shell.install);
    });
    afterEach(() => host.dispose());

    function begin(id: string, script: string, graceSeconds = 0.5): ChildProcess {
      return host.begin(["ray", host.submitBatch(id, script, graceSeconds), "GIVEN"]);
    }
    const endOf = (id: string) => readJobFacts(host.directory(id))?.end;
    const ended = (id: string) => until(`${id} is over`, () => endOf(id));

    it("exits with the job's code, and runs each job only once", async () => {
      const entry = begin("a", `echo ran >>$EVO_RUN_DIR/ran; exit 7`);
      assert.deepEqual(await once(entry, "exit"), [7, null]);
      assert.equal(endOf("a")?.exitCode, 7);
      assert.deepEqual(await once(host.begin(["ray", host.directory("a")]), "exit"), [7, null]);
      assert.equal(host.text("a", "ran"), "ran\n");
      host.cancel("a");
      host.submitPayload("b", host.payload("b", "exit 0", { batch: true }));
      host.report("b");
      host.cancel("b");
      assert.equal(host.ask(["conclude", host.directory("b"), "cancelled", "ray"]), "");
      assert.deepEqual(await once(host.begin(["ray", host.directory("b")]), "exit"), [1, null]);
      assert.deepEqual(endOf("b")?.reason, "it was cancelled before it started");
      assert.equal(host.ask(["ray", host.directory("b"), "A;id"]), "error name");
    });

    it("sends no second TERM when Ray has sent one, and knows that the job was cancelled", async () => {
      const entries = [
        begin("stubborn", told),
        begin("quick", `: >$EVO_RUN_DIR/ready; exec sleep 600`),
        begin("saves", saves, 30),
      ].map((entry) => once(entry, "exit"));
      for (const id of ["stubborn", "quick", "saves"]) {
        await host.reached(id);
        for (const { pid } of processesOf(host.directory(id)))
          try {
            process.kill(pid, "SIGTERM");
          } catch {
            // One of the trainer's own sleeps.
          }
      }
      await Promise.all(entries);
      assert.equal(host.text("stubborn", "terms"), "TERM\n");
      for (const [id, exitCode, signal] of [
        ["stubborn", null, "SIGKILL"],
        ["quick", null, "SIGTERM"],
        ["saves", 0, null],
      ] as const) {
        assert.equal(readJobFacts(host.directory(id))?.stopped, "cancelled", id);
        assert.deepEqual([endOf(id)?.exitCode, endOf(id)?.signal], [exitCode, signal], id);
      }
    });

    it("outlives Ray's process, to end the job with it", async () => {
      const entry = begin("cut", told);
      await host.reached("cut");
      process.kill(-host.leader("cut"), 0);
      entry.kill("SIGKILL");
      const end = await ended("cut");
      assert.deepEqual([end.lost, end.reason], [true, "Ray ended it"]);
      assert.equal(host.text("cut", "terms"), "TERM\n");
    });
  });

describe("keeper under a system without /proc where a signal ends every second ps and date", function () {
  this.timeout(60_000);
  let host: Host;
  before(function () {
    const missing = process.platform === "linux" ? withoutProc.missing() : "the test looks into /proc";
    if (missing !== undefined) skipBecause(this, missing);
  });
  beforeEach(() => {
    host = new Host((bin) => {
      const environment = withoutProc.install(bin);
      endedEverySecondTime(bin, ["ps", "date"]);
      return environment;
    });
  });
  afterEach(() => host.dispose());

  it("does not take a running job for ended, and gives each its time to save", async () => {
    const entries = new Map([
      ["stubborn", host.begin(["ray", host.submitBatch("stubborn", told, 0.5)])],
      ["saves", host.begin(["ray", host.submitBatch("saves", saves, 30)])],
    ]);
    const ends = [...entries.values()].map((entry) => once(entry, "exit"));
    for (const id of entries.keys()) {
      await host.reached(id);
      process.kill(-host.leader(id), "SIGTERM");
      process.kill(host.keeper(id), "SIGTERM");
    }
    assert.deepEqual(await Promise.all(ends), [
      [1, null],
      [0, null],
    ]);
    for (const id of entries.keys()) assert.equal(readJobFacts(host.directory(id))?.stopped, "cancelled", id);
    assert.equal(readJobFacts(host.directory("stubborn"))?.end?.signal, "SIGKILL");
  });
});
