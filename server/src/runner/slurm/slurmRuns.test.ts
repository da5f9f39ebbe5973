import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import type { JobStatus } from "../job/executor.ts";
import { SubmitGroup } from "../job/submitGroup.ts";
import { until } from "../../../../test/support/runner/jobs.ts";
import { hungryScript, startTestCluster, type TestCluster } from "../../../../test/support/slurm/cluster.ts";
import { slurmProblem } from "../../../../test/support/slurm/slurm.ts";

describe("arrays, interruptions and limits of Slurm", function () {
  this.timeout(300_000);
  let started: TestCluster | undefined;
  let cluster: TestCluster;
  before(async function () {
    const problem = slurmProblem();
    if (problem !== undefined) skipBecause(this, problem);
    started = cluster = await startTestCluster();
    // Slurm's shortest time is a minute, which passes while the other tests run.
    const e = cluster.executor({ minutes: 1 });
    const evidence = `echo '{"split":"train"}' >>"$EVO_RUN_DIR/rollouts.jsonl"`;
    await e.submit(cluster.job("late", `${evidence}; sleep 600`, { budgetSeconds: 3600 }));
  });
  after(() => started?.stop());

  /** Slurm would leave it alone for two minutes; told in every moment, it begins to plan anew each time. */
  async function beginsAgain(name: string, number: string): Promise<void> {
    // A node takes an attempt that begins in the second in which it ended another one for that one, and refuses it.
    await delay(1100);
    let told = -Infinity;
    let pause = 5000;
    const tell = (...words: string[]): void => {
      try {
        cluster.slurm.ask("scontrol", ...words);
      } catch {
        // There was nothing to mend.
      }
    };
    const waiting = until(
      "it may begin again",
      () => {
        if (performance.now() - told > pause) {
          tell("update", `JobId=${number}`, "StartTime=now");
          if (pause > 10_000) {
            // Slurm holds a job that could not be started, and drains a node that took long to end one.
            tell("release", number);
            tell("update", "NodeName=ALL", "State=RESUME");
          }
          told = performance.now();
          // A busy machine takes longer to plan.
          pause *= 1.3;
        }
        // One that failed meanwhile does not begin; its end tells who asked.
        return cluster.entriesOf(name).some((line) => /RUNNING|COMPL|FAILED/.test(line));
      },
      150,
    );
    await waiting.catch((e: unknown) => {
      const job = cluster.slurm.ask("scontrol", "show", "job", number);
      throw new Error(`${String(e)}\n${job}\n${cluster.slurm.ask("sinfo", "-N", "-l")}`);
    });
  }
  const array = (...members: [string, number][]): SubmitGroup =>
    new SubmitGroup(
      "v1.train",
      members.map(([id, index]) => ({ id, index })),
    );

  it("hand over several seeds as one array, each seed as a separate job, and only once", async () => {
    const e = cluster.executor();
    const ids = ["v1.train.s3", "v1.train.s5", "v1.train.s7"] as const;
    const jobs = ids.map((id, i) =>
      cluster.job(id, `echo "$SLURM_ARRAY_TASK_ID $EVO_RUN_ID"; [ ${i} != 1 ] || sleep 600; exit ${i}`),
    );
    const all = array([ids[0], 0], [ids[1], 1], [ids[2], 2]);
    await Promise.all(jobs.map((job) => e.submit(job, all)));
    const [first, , third] = await Promise.all([e.wait(ids[0]), cluster.running(e, ids[1]), e.wait(ids[2])]);
    assert.deepEqual([first.exitCode, third.exitCode], [0, 2]);
    assert.equal(readFileSync(join(cluster.copyOf(ids[2]), "stdout.log"), "utf8"), `2 ${ids[2]}\n`);
    const numbers = cluster.entriesOf("v1.train").map((line) => line.split("_")[0]);
    assert.equal(new Set(numbers).size, 1);
    assert.equal(numbers.length, 3);

    // The engine was killed before it had written the number down, and goes on with what is not over.
    const another = cluster.executor();
    const rest = array([ids[1], 1]);
    await another.submit(jobs[1] ?? assert.fail(), rest);
    assert.equal(cluster.entriesOf("v1.train").length, 3);
    await another.cancel(ids[1]);
    const second = await another.wait(ids[1]);
    assert.deepEqual([second.cancelled, second.state], [true, "exited"]);
  });

  it("find the tasks of an array whose numbers were never written down", async () => {
    const e = cluster.executor({ partition: "closed" });
    const jobs = [0, 1].map((i) => cluster.job(`v2.train.s${i}`, "true"));
    const group = (): SubmitGroup =>
      new SubmitGroup(
        "v2.train",
        jobs.map(({ id }, index) => ({ id, index })),
      );
    const both = group();
    await Promise.all(jobs.map((job) => e.submit(job, both)));
    const folder = cluster.slurm
      .ask("squeue", "-r", "-h", "-o", "%j %Z")
      .split("\n")
      .find((line) => /-v2\.train /.test(line))
      ?.replace(/^\S+ /, "");
    for (const { id } of jobs) writeFileSync(join(folder ?? "", id, "slurm.job"), "");
    const again = group();
    await Promise.all(jobs.map((job) => cluster.executor().submit(job, again)));
    assert.equal(cluster.entriesOf("v2.train").length, 2);
    for (const { id } of jobs) await e.cancel(id);
    for (const { id } of jobs) assert.equal((await e.wait(id)).cancelled, true);
  });

  const script = `echo "{\\"attempt\\":\${SLURM_RESTART_COUNT:-0}}" >>"$EVO_RUN_DIR/rollouts.jsonl"
echo "\${SLURM_RESTART_COUNT:-0}" >>"$EVO_RUN_DIR/checkpoint"; [ "\${SLURM_RESTART_COUNT:-0}" -gt 0 ] || sleep 600`;

  it("continue a run that Slurm requeues, and count its evidence once", async () => {
    const e = cluster.executor({ requeue: true });
    await e.submit(cluster.job("again", script));
    await cluster.running(e, "again");
    const ended = e.wait("again");
    const copy = join(cluster.copyOf("again"), "rollouts.jsonl");
    await until(
      "the first attempt's evidence is here",
      () => existsSync(copy) && readFileSync(copy, "utf8") !== "",
    );
    assert.equal(readFileSync(copy, "utf8"), '{"attempt":0}\n');
    const number = cluster.entriesOf("again")[0]?.split(" ")[0] ?? "";
    cluster.slurm.ask("scontrol", "requeue", number);
    const waits = await until(
      "it waits again",
      async () => {
        const status = await e.status("again");
        return status.state === "queued" && status;
      },
      40,
    );
    assert.match(waits.reason ?? "", /^Slurm says /);
    await beginsAgain("again", number);
    isContinued("again", number, await ended);
  });

  /** The second attempt's evidence counts, the first one's lies beside it, and both wrote into one folder. */
  function isContinued(name: string, number: string, { state, exitCode }: JobStatus): void {
    const job = cluster.slurm.ask("scontrol", "show", "job", number);
    assert.deepEqual([state, exitCode], ["exited", 0], `${job}\n${cluster.entriesOf(name).join("\n")}`);
    assert.equal(readFileSync(join(cluster.copyOf(name), "rollouts.jsonl"), "utf8"), '{"attempt":1}\n');
    const there = job.match(/WorkDir=(.*)/)?.[1] ?? "";
    assert.equal(readFileSync(join(there, "attempt.1/rollouts.jsonl"), "utf8"), '{"attempt":0}\n');
    assert.equal(readFileSync(join(there, "checkpoint"), "utf8"), "0\n1\n");
  }

  it("continue a run that lost its nodes to a job of higher priority", async () => {
    const low = cluster.executor({ requeue: true, nodes: 3, options: ["--exclusive", "--oversubscribe"] });
    await low.submit(cluster.job("low", script));
    const ended = low.wait("low");
    await until(
      "the run that times out is over",
      async () => (await low.status("late")).state === "exited",
      130,
    );
    await cluster.running(low, "low");
    const high = cluster.executor({ nodes: 3, partition: "urgent", options: ["--exclusive"] });
    await high.submit(cluster.job("high", "exit 0"));
    assert.equal((await high.wait("high")).exitCode, 0);
    const number = cluster.entriesOf("low")[0]?.split(" ")[0] ?? "";
    await beginsAgain("low", number);
    isContinued("low", number, await ended);
  });

  it("wait for another job when an option of the host says so", async () => {
    const e = cluster.executor();
    await e.submit(cluster.job("trains", `while [ ! -e '${cluster.root}/trained' ]; do sleep 0.1; done`));
    await cluster.running(e, "trains");
    const number = cluster.entriesOf("trains")[0]?.split(" ")[0] ?? "";
    const after = cluster.executor({ options: [`--dependency=afterok:${number}`] });
    await after.submit(cluster.job("evaluates", "exit 0"));
    const waits = await until("it waits", async () => {
      const status = await after.status("evaluates");
      return status.reason === null ? undefined : status;
    });
    assert.deepEqual([waits.state, waits.reason], ["queued", "Slurm says PENDING (Dependency)"]);
    writeFileSync(join(cluster.root, "trained"), "");
    assert.equal((await after.wait("evaluates")).exitCode, 0);
  });

  it("report a lack of memory, however Slurm enforces its limit", async () => {
    const e = cluster.executor({ memory: "60M" });
    await e.submit(cluster.job("hungry", hungryScript));
    const status = await e.wait("hungry");
    assert.deepEqual([status.state, status.signal], ["exited", "SIGKILL"]);
    assert.match(status.because ?? "", /it used more memory than Slurm gave it/);
  });

  it("say which time limit a job exceeded when Slurm ended it", async () => {
    const late = await cluster.executor().wait("late");
    assert.deepEqual([late.timedOut, late.state], [true, "exited"]);
    assert.match(late.because ?? "", /its time in Slurm ran out; raise slurm.minutes/);
  });
});
