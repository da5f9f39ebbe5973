import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostSpec, SlurmSpec } from "../../../../shared/spec/host.ts";
import { HarnessError } from "../../base/errors.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { openRepository, type Repository } from "../../lineage/repository.ts";
import type { JobStatus } from "../job/executor.ts";
import type { JobRequest } from "../job/jobSpec.ts";
import { HostShell } from "../ssh/hostShell.ts";
import { HostWork } from "../ssh/hostWork.ts";
import { slurmQueue } from "../ssh/queue.ts";
import { SshExecutor } from "../ssh/sshExecutor.ts";
import type { SshRoute } from "../ssh/sshArguments.ts";
import { hostProblem, startTestHost, type TestHost } from "../../../../test/support/ssh/host.ts";
import { hostPrograms, until } from "../../../../test/support/runner/jobs.ts";
import { sbatchOptions } from "./sbatchOptions.ts";
import { slurmProblem, startTestSlurm, type TestSlurm } from "../../../../test/support/slurm/slurm.ts";
import { keepEnvironment } from "../../../../test/support/base/environment.ts";

describe("Slurm jobs", function () {
  this.timeout(90_000);
  let slurm: TestSlurm;
  let started: TestSlurm | undefined;
  let host: TestHost | undefined;
  let root = "";
  let repository: Repository;
  const restoreEnvironment = keepEnvironment();
  const shells: HostShell[] = [];
  before(async function () {
    const problem = slurmProblem();
    if (problem !== undefined) skipBecause(this, problem);
    started = slurm = await startTestSlurm();
    root = realpathSync(mkdtempSync(join(tmpdir(), "evo slurm jobs ")));
    mkdirSync(join(root, "home"));
    const git = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
    execFileSync("git", ["init", "--quiet"], { cwd: root });
    execFileSync("git", [...git, "commit", "--quiet", "--allow-empty", "-m", "c"], { cwd: root });
    repository = await openRepository(root);
    // What a login node has: Slurm's configuration, and a home that every node sees.
    Object.assign(process.env, {
      SLURM_CONF: slurm.configuration,
      HOME: join(root, "home"),
      EVO_SLURM_SETTLE: "1",
    });
  });
  afterEach(() => {
    for (const shell of shells.splice(0)) shell.close();
  });
  after(async () => {
    if (started === undefined) return;
    restoreEnvironment();
    await host?.stop();
    await started.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const local = (): SshRoute => ({ name: "cluster", spec: HostSpec.parse({ local: true, slurm: {} }) });
  function executor(spec: Partial<SlurmSpec> = {}, route = local()): SshExecutor {
    const shell = new HostShell(route);
    shells.push(shell);
    const work = new HostWork(shell, repository, hostPrograms);
    const queue = slurmQueue((job) => sbatchOptions(SlurmSpec.parse(spec), job));
    return new SshExecutor({ shell, work, queue, runsDirectory: join(root, "runs"), pollMilliseconds: 300 });
  }
  const job = (id: string, script: string, more: Partial<JobRequest> = {}): JobRequest => ({
    id,
    command: ["sh", "-c", script],
    cwd: root,
    environment: {},
    budgetSeconds: 120,
    graceSeconds: 1,
    ...more,
  });
  const copyOf = (id: string, name: string): string => readFileSync(join(root, "runs", id, name), "utf8");
  const numbersOf = (id: string): string[] =>
    slurm
      .ask("squeue", "-h", "-t", "all", "-o", "%A %j")
      .split("\n")
      .filter((line) => line.endsWith(`-${id}`))
      .map((line) => line.split(" ")[0] ?? "");
  const running = (e: SshExecutor, id: string): Promise<JobStatus> =>
    until(
      `${id} runs`,
      async () => {
        const status = await e.status(id);
        return status.state === "running" ? status : undefined;
      },
      40,
    );

  it("end with their exit code, on a node with the requested GPUs, and are handed over once", async () => {
    const e = executor();
    const script = `echo "$SLURMD_NODENAME $CUDA_VISIBLE_DEVICES $SECRET"; echo '{}' >>"$EVO_RUN_DIR/metrics.jsonl"; exit `;
    process.env["SECRET"] = "of the engine";
    await Promise.all([
      e.submit(job("good", `${script}0`, { gpus: 1 })),
      executor().submit(job("good", `${script}0`, { gpus: 1 })),
      e.submit(job("bad", `${script}3`)),
    ]);
    delete process.env["SECRET"];
    const [good, bad] = await Promise.all([e.wait("good"), e.wait("bad")]);
    assert.deepEqual([good.exitCode, bad.exitCode, bad.state], [0, 3, "exited"]);
    assert.match(copyOf("good", "stdout.log"), /^n[1-3] [01] \n$/);
    assert.equal(copyOf("good", "metrics.jsonl"), "{}\n");
    assert.equal(numbersOf("good").length, 1);
    await e.submit(job("good", `${script}0`, { gpus: 1 }));
    assert.equal(numbersOf("good").length, 1);
  });

  it("are refused with Slurm's message", async () => {
    await assert.rejects(
      executor({ gres: "gpu:9" }).submit(job("large", "true")),
      (x) =>
        HarnessError.is(x, "jobFailed") && /Requested node configuration is not available/.test(x.message),
    );
    await assert.rejects(
      executor({ partition: "nowhere" }).submit(job("nowhere", "true")),
      (x) => HarnessError.is(x, "jobFailed") && /invalid partition/i.test(x.message),
    );
  });

  it("say why they wait, and leave the queue when they are cancelled", async () => {
    const e = executor({ partition: "closed" });
    await e.submit(job("waits", "true"));
    const waiting = await until("it waits", async () => {
      const status = await e.status("waits");
      return status.reason === null ? undefined : status;
    });
    assert.deepEqual([waiting.state, waiting.reason], ["queued", "Slurm says PENDING (PartitionDown)"]);
    await e.cancel("waits");
    const over = await e.wait("waits");
    assert.deepEqual([over.state, over.cancelled], ["exited", true]);
    assert.ok(!existsSync(join(root, "runs/waits/pid")));
  });

  it("get one TERM when they are cancelled, and count as cancelled when somebody else ends them", async () => {
    const e = executor();
    const patient = `trap 'echo term >>"$EVO_RUN_DIR/stdout.log.own"; echo term' TERM; : >"$EVO_RUN_DIR/ready"; while :; do sleep 0.1; done`;
    await e.submit(job("ours", patient));
    await e.submit(job("theirs", "sleep 600"));
    await running(e, "ours");
    await until("its trap is set", () => slurm.ask("squeue", "-h", "-t", "R", "-o", "%j").includes("-ours"));
    await e.cancel("ours");
    const ours = await e.wait("ours");
    assert.deepEqual([ours.cancelled, ours.signal], [true, "SIGKILL"]);
    assert.match(copyOf("ours", "stdout.log"), /^(?:term\n)?$/);
    await running(e, "theirs");
    slurm.ask("scancel", ...numbersOf("theirs"));
    const theirs = await e.wait("theirs");
    assert.deepEqual([theirs.cancelled, theirs.state], [true, "exited"]);
  });

  it("continue while the controller is away, and are found again", async () => {
    const e = executor();
    await e.submit(job("outlives", `while [ ! -e '${root}/go' ]; do sleep 0.1; done; exit 5`));
    await running(e, "outlives");
    await slurm.controller("down");
    assert.equal((await e.status("outlives")).state, "running");
    writeFileSync(join(root, "go"), "");
    await slurm.controller("up");
    const status = await e.wait("outlives");
    assert.equal(status.exitCode, 5);
  });

  it("are lost with their node or to a job of higher priority, and are not started again", async () => {
    const e = executor({ options: ["--exclusive"] });
    const script = `echo begun >>'${root}/begun'; sleep 600`;
    await e.submit(job("cut", script));
    await running(e, "cut");
    slurm.cutNode(slurm.ask("squeue", "-h", "-t", "R", "-o", "%N"));
    const cut = await e.wait("cut");
    assert.deepEqual([cut.state, cut.reason], ["lost", "its node failed"]);
    const low = executor({ nodes: 2, options: ["--exclusive"] });
    await low.submit(job("low", script));
    await running(low, "low");
    const high = executor({ nodes: 2, partition: "urgent", options: ["--exclusive"] });
    await high.submit(job("high", "exit 0"));
    const [lost, kept] = await Promise.all([low.wait("low"), high.wait("high")]);
    assert.equal(kept.exitCode, 0);
    assert.deepEqual([lost.state, lost.reason], ["lost", "Slurm gave its node to a job of higher priority"]);
    assert.equal(readFileSync(join(root, "begun"), "utf8"), "begun\nbegun\n");
  });

  it("give the same results over ssh, through a link that is cut", async function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
    host = await startTestHost({
      environment: { SLURM_CONF: slurm.configuration, EVO_SLURM_SETTLE: "1" },
    });
    const route = host.route({ slurm: SlurmSpec.parse({}) });
    const e = executor({}, route);
    await e.submit(job("remote", "for i in 1 2 3 4 5 6; do echo $i; sleep 0.3; done; exit 4"));
    const waiting = e.wait("remote");
    await running(e, "remote");
    host.proxy.reset();
    const status = await waiting;
    assert.equal(status.exitCode, 4);
    assert.equal(copyOf("remote", "stdout.log"), "1\n2\n3\n4\n5\n6\n");
  });
});
