import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostSpec, RaySpec } from "../../../../shared/spec/host.ts";
import { HarnessError } from "../../base/errors.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { openRepository, type Repository } from "../../lineage/repository.ts";
import type { JobStatus } from "../job/executor.ts";
import type { JobRequest } from "../job/jobSpec.ts";
import { HostShell } from "../ssh/hostShell.ts";
import { HostWork } from "../ssh/hostWork.ts";
import { SshExecutor } from "../ssh/sshExecutor.ts";
import type { SshRoute } from "../ssh/sshArguments.ts";
import { hostProblem, startTestHost, type TestHost } from "../../../../test/support/ssh/host.ts";
import { hostPrograms, processesOf, until } from "../../../../test/support/runner/jobs.ts";
import { RayClient } from "./rayClient.ts";
import { rayQueue } from "./rayQueue.ts";
import { rayProblem, startRealRay } from "../../../../test/support/ray/realRay.ts";
import { startRecordedRay, type RecordedRay } from "../../../../test/support/ray/recordedRay.ts";
import type { TestRay } from "../../../../test/support/ray/startRay.ts";
import { keepEnvironment } from "../../../../test/support/base/environment.ts";

const kinds: readonly {
  readonly name: string;
  readonly problem: () => string | undefined;
  readonly start: () => Promise<TestRay>;
}[] = [
  { name: "recorded answers of Ray", problem: () => undefined, start: startRecordedRay },
  { name: "a real Ray", problem: rayProblem, start: startRealRay },
];

for (const kind of kinds)
  describe(`Ray jobs with ${kind.name}`, function () {
    this.timeout(240_000);
    let ray: TestRay;
    let started: TestRay | undefined;
    let host: TestHost | undefined;
    let root = "";
    let repository: Repository;
    const restoreEnvironment = keepEnvironment();
    const closing: (() => void)[] = [];
    before(async function () {
      const problem = kind.problem() ?? (process.platform === "linux" ? undefined : "the keeper needs Linux");
      if (problem !== undefined) skipBecause(this, problem);
      started = ray = await kind.start();
      root = realpathSync(mkdtempSync(join(tmpdir(), "evo ray jobs ")));
      mkdirSync(join(root, "home"));
      const git = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
      execFileSync("git", ["init", "--quiet"], { cwd: root });
      execFileSync("git", [...git, "commit", "--quiet", "--allow-empty", "-m", "c"], { cwd: root });
      repository = await openRepository(root);
      process.env["HOME"] = join(root, "home");
    });
    afterEach(() => {
      for (const close of closing.splice(0)) close();
    });
    after(async () => {
      if (started === undefined) return;
      restoreEnvironment();
      await host?.stop();
      await started.stop();
      rmSync(root, { recursive: true, force: true });
    });
    const recordedOnly = (context: Mocha.Context): RecordedRay => {
      if ("asked" in ray) return ray as RecordedRay;
      return skipBecause(context, "only recorded answers can be had at will");
    };

    interface Way {
      readonly executor: SshExecutor;
      readonly client: RayClient;
    }
    function way(spec: Partial<RaySpec> = {}, from?: SshRoute): Way {
      const asked = RaySpec.parse({ ...spec, address: ray.address });
      const route = from ?? { name: "head", spec: HostSpec.parse({ local: true, ray: {} }) };
      const client = new RayClient({
        route: { ...route, ray: asked },
        patienceMilliseconds: "asked" in ray ? 3000 : 20_000,
      });
      const shell = new HostShell(route);
      const work = new HostWork(shell, repository, hostPrograms);
      const queue = rayQueue({ ...route, ray: asked }, { client, settleSeconds: 1 });
      closing.push(() => {
        shell.close();
        client.close();
      });
      const executor = new SshExecutor({
        shell,
        work,
        queue,
        runsDirectory: join(root, "runs"),
        pollMilliseconds: 100,
      });
      return { executor, client };
    }
    const executor = (spec: Partial<RaySpec> = {}): SshExecutor => way(spec).executor;
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
    const there = (id: string): string => {
      const work = join(root, "home/.evotrainer/work");
      return execFileSync("find", [work, "-path", `*/runs/${id}`], { encoding: "utf8" }).trim();
    };
    const idOf = (id: string): string => readFileSync(join(there(id), "ray.job"), "utf8").trim();
    const inState = (e: SshExecutor, id: string, state: JobStatus["state"]): Promise<JobStatus> =>
      until(
        `${id} is ${state}`,
        async () => {
          const status = await e.status(id);
          return status.state === state ? status : undefined;
        },
        40,
      );
    const nothingOf = (id: string): Promise<unknown> =>
      until(`nothing is left of ${id}`, () => processesOf(there(id)).length === 0, 20);

    it("end with their exit code, run with the resources that Ray gives them, and are handed over once", async () => {
      const e = executor({ runtimeEnv: { env_vars: { GIVEN: "by Ray" } } });
      const script = `echo begun >>'${root}/begun'; echo "$CUDA_VISIBLE_DEVICES $GIVEN $OF_THE_NODE \${RAY_ADDRESS:+address}"; echo '{}' >>"$EVO_RUN_DIR/metrics.jsonl"; exit `;
      await Promise.all([
        e.submit(job("good", `${script}0`, { gpus: 1 })),
        executor({ runtimeEnv: { env_vars: { GIVEN: "by Ray" } } }).submit(
          job("good", `${script}0`, { gpus: 1 }),
        ),
        e.submit(job("bad", "exit 3")),
      ]);
      const [good, bad] = await Promise.all([e.wait("good"), e.wait("bad")]);
      assert.deepEqual([good.exitCode, bad.exitCode, bad.state], [0, 3, "exited"]);
      assert.match(copyOf("good", "stdout.log"), /^[01] by Ray {2}address\n$/);
      assert.equal(copyOf("good", "metrics.jsonl"), "{}\n");
      await e.submit(job("good", `${script}0`, { gpus: 1 }));
      assert.equal(readFileSync(join(root, "begun"), "utf8"), "begun\n");
      await nothingOf("good");
    });

    it("are refused with Ray's message, and count as never started", async () => {
      await assert.rejects(
        executor({ options: { entrypoint_bogus: 1 } }).submit(job("refused", "true")),
        (x) => HarnessError.is(x, "jobFailed") && /unexpected keyword argument/.test(x.message),
      );
      const e = executor({ runtimeEnv: { working_dir: "/nonexistent/x" } });
      await e.submit(job("unstartable", "true"));
      const status = await e.wait("unstartable");
      assert.deepEqual([status.state, status.cancelled], ["exited", false]);
      assert.match(status.reason ?? "", /^Ray ended it as FAILED: .*\/nonexistent\/x is not a valid path/);
      assert.match(status.mend ?? "", /^ray of the host/);
    });

    it("keep what Ray printed if the keeper could not start", async () => {
      const replayed = "asked" in ray ? (ray as RecordedRay) : undefined;
      const { executor: e, client } = way(replayed === undefined ? {} : { resources: { later: 1 } });
      await e.submit(job("blind", "true"));
      // As on a node that does not see the file system of the host.
      const keepers = join(root, "home/.evotrainer/keeper");
      renameSync(keepers, `${keepers}.away`);
      replayed?.release();
      await until("Ray has tried", async () => (await client.job(idOf("blind")))?.status === "FAILED");
      renameSync(`${keepers}.away`, keepers);
      const status = await e.wait("blind");
      assert.deepEqual([status.state, status.cancelled], ["exited", false]);
      assert.match(status.reason ?? "", /^Ray ended it as FAILED: sh: .*(?:cannot|can't) open/i);
      assert.match(copyOf("blind", "ray.log"), /(?:cannot|can't) open .*keeper/i);
    });

    it("say why they wait, and end at once when they are cancelled", async () => {
      const e = executor({ gpus: 9 });
      await e.submit(job("waits", `: >'${root}/begun too late'`));
      const waiting = await until("it waits", async () => {
        const status = await e.status("waits");
        return status.reason === null ? undefined : status;
      });
      assert.equal(waiting.state, "queued");
      assert.match(waiting.reason ?? "", /^Ray says PENDING \(It may be waiting for resources/);
      await e.cancel("waits");
      const over = await e.wait("waits");
      assert.deepEqual([over.state, over.cancelled], ["exited", true]);
      assert.ok(!existsSync(join(root, "begun too late")));
    });

    it("get one TERM and their full grace period when anybody cancels them", async () => {
      const { executor: e, client } = way();
      // Longer than the three seconds that Ray gives by itself.
      const patient = `trap 'echo term; sleep 4.5; echo saved; exit 7' TERM; : >"$EVO_RUN_DIR/ready"; while :; do sleep 0.1; done`;
      await e.submit(job("ours", patient, { graceSeconds: 20 }));
      await until("its trap is set", () => existsSync(join(there("ours"), "ready")));
      await inState(e, "ours", "running");
      await e.cancel("ours");
      const ours = await e.wait("ours");
      assert.deepEqual([ours.cancelled, ours.exitCode], [true, 7]);
      assert.equal(copyOf("ours", "stdout.log"), "term\nsaved\n");
      await e.submit(job("theirs", "sleep 600"));
      await inState(e, "theirs", "running");
      await client.stop(idOf("theirs"));
      const theirs = await e.wait("theirs");
      assert.deepEqual([theirs.cancelled, theirs.state], [true, "exited"]);
      await nothingOf("theirs");
    });

    it("are killed after their grace period, and kept to their budget", async () => {
      const e = executor();
      await e.submit(job("stubborn", `trap '' TERM; : >"$EVO_RUN_DIR/ready"; while :; do sleep 0.1; done`));
      await e.submit(job("long", "sleep 600", { budgetSeconds: 2 }));
      await until("its trap is set", () => existsSync(join(there("stubborn"), "ready")));
      await inState(e, "stubborn", "running");
      await e.cancel("stubborn");
      const [stubborn, long] = await Promise.all([e.wait("stubborn"), e.wait("long")]);
      assert.deepEqual([stubborn.cancelled, stubborn.signal], [true, "SIGKILL"]);
      assert.deepEqual([long.timedOut, long.cancelled], [true, false]);
    });

    it("end together with Ray's process, and are then lost", async () => {
      const e = executor();
      await e.submit(job("cut", `trap 'echo term' TERM; while :; do sleep 0.1; done`));
      await inState(e, "cut", "running");
      ray.endSupervisor(there("cut"));
      const cut = await e.wait("cut");
      assert.deepEqual([cut.state, cut.cancelled], ["lost", false]);
      assert.match(cut.reason ?? "", /^Ray ended it as FAILED: .*died/);
      await nothingOf("cut");
      assert.equal(copyOf("cut", "stdout.log"), "term\n");
    });

    it("continue while the dashboard is away, and are found again; without it, the keeper's report is used", async () => {
      const e = executor();
      for (const id of ["outlives", "alone"])
        await e.submit(job(id, `while [ ! -e '${root}/go ${id}' ]; do sleep 0.1; done; exit 5`));
      await inState(e, "outlives", "running");
      await inState(e, "alone", "running");
      await ray.dashboard("down");
      try {
        writeFileSync(join(root, "go alone"), "");
        const alone = await e.wait("alone");
        assert.deepEqual([alone.exitCode, alone.state], [5, "exited"]);
        assert.equal((await e.status("outlives")).state, "running");
      } finally {
        await ray.dashboard("up");
      }
      writeFileSync(join(root, "go outlives"), "");
      assert.equal((await e.wait("outlives")).exitCode, 5);
    });

    it("are handed over again when Ray gives up waiting for resources", async function () {
      const recorded = recordedOnly(this);
      const e = executor({ resources: { later: 1 } });
      await e.submit(job("late", "exit 6"));
      const waiting = e.wait("late");
      await until("it waits", async () => (await e.status("late")).reason !== null);
      recorded.giveUp();
      const before = recorded.submissions.length;
      await until("it is handed over again", () => recorded.submissions.length > before);
      recorded.release();
      assert.equal((await waiting).exitCode, 6);
    });

    it("are lost if Ray forgot them before they started", async function () {
      const recorded = recordedOnly(this);
      const e = executor({ gpus: 9 });
      await e.submit(job("forgotten", "true"));
      recorded.forgetAll();
      const status = await e.wait("forgotten");
      assert.deepEqual([status.state, status.reason], ["lost", "Ray no longer knows it"]);
    });

    it("replace Ray's record of a reused folder, and of nobody else's job", async function () {
      const recorded = recordedOnly(this);
      const e = executor();
      await e.submit(job("again", "exit 1"));
      assert.equal((await e.wait("again")).exitCode, 1);
      const id = idOf("again");
      rmSync(there("again"), { recursive: true });
      await e.submit(job("again", "exit 2"));
      assert.equal((await executor().wait("again")).exitCode, 2);
      assert.ok(recorded.asked.includes(`DELETE /api/jobs/${id}`));
      rmSync(there("again"), { recursive: true });
      for (const submission of recorded.submissions) submission.entrypoint = "sleep 600";
      await assert.rejects(e.submit(job("again", "exit 3")), (x) => HarnessError.is(x, "jobFailed"));
    });

    it("give the same results over ssh, through a link that is cut", async function () {
      const problem = hostProblem();
      if (problem !== undefined) skipBecause(this, problem);
      host = await startTestHost();
      const route = host.route({ ray: RaySpec.parse({}) });
      const { executor: e, client } = way({}, route);
      await e.submit(
        job("remote", "for i in 1 2 3 4 5 6; do echo $i; sleep 0.3; done; exit 4", { cwd: "/" }),
      );
      const waiting = e.wait("remote");
      await inState(e, "remote", "running");
      host.proxy.reset();
      const status = await waiting;
      assert.equal(status.exitCode, 4);
      assert.equal(copyOf("remote", "stdout.log"), "1\n2\n3\n4\n5\n6\n");
      assert.match(await client.version(), /^2\.\d+/);
    });
  });
