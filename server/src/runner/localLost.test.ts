import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readJobFacts } from "./job/jobDirectory.ts";
import { keeperPath, processesOf, until } from "../../../test/support/runner/jobs.ts";
import { stubborn, useLocalJobs } from "../../../test/support/runner/localJobs.ts";
import { programArguments } from "../../../test/support/base/program.ts";

describe("the local executor, when its engine, its keeper or the job is killed", function () {
  const local = useLocalJobs(this);
  const { file, reached, keeperOf, leaderOf } = local;

  it("lets a job outlive its engine, adopts it again and collects the result", async () => {
    const script = fileURLToPath(new URL("../../../test/support/runner/localEngine.ts", import.meta.url));
    const trainer = `: >$EVO_RUN_DIR/ready; while [ ! -e "$EVO_RUN_DIR/go" ]; do sleep 0.05; done; echo end; exit 5`;
    const engine = spawn(
      process.execPath,
      [...programArguments(script), local.jobs.runs, keeperPath, "engine-job", trainer],
      { stdio: ["ignore", "ignore", "inherit"] },
    );
    await reached("engine-job", "ready");
    engine.kill("SIGKILL");
    await once(engine, "exit");
    assert.equal((await local.jobs.executor.status("engine-job")).state, "running");
    writeFileSync(join(local.jobs.runs, "engine-job/go"), "");
    const status = await local.jobs.executor.wait("engine-job");
    assert.deepEqual([status.state, status.exitCode], ["exited", 5]);
    assert.equal(file("engine-job", "stdout.log"), "end\n");
    assert.equal(readJobFacts(join(local.jobs.runs, "engine-job"))?.keepers, 1);
  });

  it("adopts a job again whose keeper was killed, and still gets its exit code", async () => {
    const id = await local.jobs.start(
      `: >$EVO_RUN_DIR/ready; while [ ! -e "$EVO_RUN_DIR/go" ]; do sleep 0.05; done; exit 5`,
    );
    await reached(id, "ready");
    process.kill(keeperOf(id), "SIGKILL");
    const next = await until("a second keeper", async () => {
      assert.equal((await local.jobs.executor.status(id)).state, "running");
      return readJobFacts(join(local.jobs.runs, id))?.keepers === 2;
    });
    assert.ok(next);
    writeFileSync(join(local.jobs.runs, id, "go"), "");
    assert.equal((await local.jobs.executor.wait(id)).exitCode, 5);
  });

  it("knows the exit code of a job that ended while no keeper was alive", async () => {
    const id = await local.jobs.start(
      `: >$EVO_RUN_DIR/ready; while [ ! -e "$EVO_RUN_DIR/go" ]; do sleep 0.05; done; exit 9`,
    );
    await reached(id, "ready");
    const leader = leaderOf(id);
    process.kill(keeperOf(id), "SIGKILL");
    writeFileSync(join(local.jobs.runs, id, "go"), "");
    await until("the job ended", () => !processesOf(join(local.jobs.runs, id)).some((p) => p.pid === leader));
    assert.deepEqual([(await local.jobs.another().wait(id)).exitCode], [9]);
  });

  it("sends no second TERM after the keeper that sent the first was killed", async () => {
    const id = await local.jobs.start(stubborn, { graceSeconds: 2 });
    await reached(id, "ready");
    await local.jobs.executor.cancel(id);
    await reached(id, "terms");
    process.kill(keeperOf(id), "SIGKILL");
    const status = await local.jobs.executor.wait(id);
    assert.deepEqual([status.cancelled, status.signal], [true, "SIGKILL"]);
    assert.equal(file(id, "terms"), "TERM\n");
  });

  it("enforces the budget of an adopted job", async () => {
    const id = await local.jobs.start(": >$EVO_RUN_DIR/ready; sleep 600", { budgetSeconds: 1.5 });
    await reached(id, "ready");
    process.kill(keeperOf(id), "SIGKILL");
    const status = await local.jobs.executor.wait(id);
    assert.deepEqual([status.timedOut, status.signal], [true, "SIGTERM"]);
  });

  it("reports a job as lost when both keeper and job were killed", async () => {
    const id = await local.jobs.start(": >$EVO_RUN_DIR/ready; sleep 600");
    await reached(id, "ready");
    const leader = leaderOf(id);
    process.kill(keeperOf(id), "SIGKILL");
    process.kill(-leader, "SIGKILL");
    const status = await local.jobs.executor.wait(id);
    assert.deepEqual([status.state, status.exitCode, status.signal], ["lost", null, null]);
    assert.match(status.reason ?? "", /killed from outside/);
    assert.deepEqual(
      await local.jobs
        .another()
        .wait(id)
        .then((s) => s.state),
      "lost",
    );
  });

  it("reports a job as lost after a restart of the machine, and leaves processes with its old number alone", async () => {
    const id = await local.jobs.start(": >$EVO_RUN_DIR/ready; sleep 600");
    await reached(id, "ready");
    const leader = leaderOf(id);
    process.kill(keeperOf(id), "SIGKILL");
    process.kill(-leader, "SIGKILL");
    const bystander = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    const start = readFileSync(`/proc/${bystander.pid}/stat`, "utf8").split(" ")[21] ?? "";
    writeFileSync(
      join(local.jobs.runs, id, "pid"),
      `${bystander.pid} ${start} 00000000-dead-beef 100 1700000000\n`,
    );
    try {
      const status = await local.jobs.executor.wait(id);
      assert.equal(status.state, "lost");
      assert.match(status.reason ?? "", /machine was restarted/);
      assert.equal(bystander.exitCode ?? bystander.signalCode, null);
    } finally {
      bystander.kill("SIGKILL");
    }
  });

  it("does not mistake a reused process number for the job", async () => {
    const id = await local.jobs.start(": >$EVO_RUN_DIR/ready; sleep 600");
    await reached(id, "ready");
    const leader = leaderOf(id);
    const boot = readJobFacts(join(local.jobs.runs, id))?.leader?.boot ?? "";
    process.kill(keeperOf(id), "SIGKILL");
    process.kill(-leader, "SIGKILL");
    const bystander = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    writeFileSync(join(local.jobs.runs, id, "pid"), `${bystander.pid} 1 ${boot} 100 1700000000\n`);
    try {
      assert.equal((await local.jobs.executor.wait(id)).state, "lost");
      assert.equal(bystander.exitCode ?? bystander.signalCode, null);
    } finally {
      bystander.kill("SIGKILL");
    }
  });
});
