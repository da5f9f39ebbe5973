import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { openRepository, statePath, type Repository } from "../../lineage/repository.ts";
import { createVersion } from "../../lineage/versions.ts";
import { LocalExecutor } from "../local.ts";
import { runJob, type RunRequest } from "../runVersion.ts";
import type { JobOutcome } from "../job/outcome.ts";
import { makeTestRepository, type TestRepository } from "../../../../test/support/lineage/repository.ts";
import { patience } from "../../../../test/support/base/patience.ts";
import { needsConfinement } from "../../../../test/support/runner/confined.ts";
import { keeperPath, processesOf, until } from "../../../../test/support/runner/jobs.ts";
import { testProject, testProjectFiles, trainerScript } from "../../../../test/support/runner/project.ts";

const sealed = "only the audit may know this";

describe("what a confined job lays into the folder of its run", function () {
  this.timeout(120_000);
  let made: TestRepository;
  let repository: Repository;
  let executor: LocalExecutor;
  /** A file of the user that no job may write to: jobs see the home folder. */
  let mine: string;
  beforeEach(async function () {
    made = makeTestRepository({
      ...testProjectFiles(),
      "data/audit.jsonl": `{"id":"a1","answer":"${sealed}"}\n`,
    });
    repository = await openRepository(made.root);
    executor = new LocalExecutor({
      runsDirectory: statePath(repository, "runs"),
      keeper: keeperPath,
      pollMilliseconds: 30,
    });
    mine = join(mkdtempSync(join(homedir(), ".evo-mine-")), "config");
    writeFileSync(mine, "mine\n");
    await needsConfinement(this, executor);
  });
  afterEach(async () => {
    try {
      await until("no process is left", () => processesOf(made.root).length === 0, 10);
    } finally {
      for (const { pid } of processesOf(made.root)) process.kill(pid, "SIGKILL");
      made.dispose();
      rmSync(join(mine, ".."), { recursive: true, force: true });
    }
  });

  const trained = async (body: string, more: Partial<RunRequest> = {}): Promise<JobOutcome> => {
    const { commit } = await createVersion(repository, {
      ...{ domain: "swe", name: "v1", parent: made.commit(), message: "v1", at: new Date(0) },
      edits: [{ path: "train.sh", content: trainerScript(`cd "$EVO_RUN_DIR"\n${body}`) }],
    });
    return runJob({
      ...{ repository, commit, executor, project: testProject({ confine: "require" }) },
      ...{ version: "v1", seed: 1, splits: ["train", "selection"], graceSeconds: 1 },
      budgetSeconds: 60 * patience,
      ...more,
    });
  };
  const inRun = (name: string): string => join(executor.directoryOf("v1-seed1"), name);

  it("replaces, removes and rewrites nothing that the keeper or the engine goes by", async () => {
    const names = "job keeper pid host.json job.lock heartbeat stdout.log stderr.log";
    const pending = "exit.pending code.pending stop.pending cancel.pending";
    const outcome = await trained(`: >tried
for name in ${names} ${pending}; do
  { mv "$name" gone || rm -f "$name" || ln -sf /etc/passwd "$name"; } 2>/dev/null && echo "$name" >>tried
done
for name in job keeper pid host.json; do (echo x >>"$name") 2>/dev/null && echo "$name" >>tried; done
true`);
    assert.deepEqual([outcome.failure, outcome.unconfined], [null, null], outcome.message);
    assert.equal(readFileSync(inRun("tried"), "utf8"), "");
  });

  it("is no end of the job, and the job is waited for", async () => {
    const outcome = await trained(`echo "code.0 1 1" >exit; : >code.0; : >stop.timeout
echo "1 99999999999" >attempt; echo 7 >slurm.job; echo "PREEMPTED 0 1 1 -" >slurm.end
sleep 1; echo late >late`);
    assert.deepEqual([outcome.failure, readFileSync(inRun("late"), "utf8")], [null, "late\n"]);
    assert.ok(outcome.seconds >= 1 && outcome.seconds < 60 * patience, String(outcome.seconds));
  });

  it("does not keep the keeper from stopping it when its budget is over", async () => {
    const outcome = await trained(`echo "code.0 1 1" >exit; : >code.0; exec sleep 300`, { budgetSeconds: 2 });
    assert.equal(outcome.failure, "train_budget_overrun", outcome.message);
  });

  it("does not keep anybody from cancelling it", async () => {
    const cancel = new AbortController();
    const running = trained(`echo "code.0 1 1" >exit; : >ready; exec sleep 300`, { signal: cancel.signal });
    await until("it runs", () => existsSync(inRun("ready")));
    cancel.abort();
    const outcome = await running;
    assert.equal(outcome.failure, "harness_abort", outcome.message);
    assert.ok(outcome.seconds < 30 * patience, String(outcome.seconds));
  });

  it("is no end either when it is a folder", async () => {
    const outcome = await trained("mkdir exit; sleep 1; echo late >late");
    assert.deepEqual([outcome.failure, readFileSync(inRun("late"), "utf8")], [null, "late\n"]);
  });

  it("does not keep a job that fails from being called so", async () => {
    const outcome = await trained(`: >code.0; : >code.9; echo 7 >slurm.job
echo "PREEMPTED 0 1 1 -" >slurm.end; exit 3`);
    assert.equal(outcome.failure, "crash", outcome.message);
    assert.match(outcome.message, /exited with 3/);
  });

  it("is waited for by no reader: pipes, folders, sockets and endless devices count as nothing", async () => {
    const outcome = await trained(`rm -f rollouts.jsonl metrics.jsonl
mkfifo waiting ticket gpus rollouts.jsonl; mkdir metrics.jsonl gpu.jsonl; ln -s /dev/zero outcome.json
echo 1 >"$EVO_POLICY_OUT.txt"; exit 0`);
    assert.equal(outcome.failure, "incomplete", outcome.message);
    assert.match(outcome.message, /wrote no rollouts/);
  });

  it("leads the engine to no file of the user: nothing of it is read", async () => {
    const outcome = await trained(`rm -f rollouts.jsonl; ln -s '${made.root}/data/audit.jsonl' rollouts.jsonl
ln -s '${made.root}/data/audit.jsonl' ray.log; ln -s '${made.root}/data/audit.jsonl' stderr.log.1; exit 0`);
    assert.equal(outcome.failure, "incomplete", outcome.message);
    assert.ok(!outcome.message.includes(sealed), outcome.message);
  });

  it("leads the keeper to no file of the user: nothing of it is written", async () => {
    const outcome = await trained(
      `ln -s '${mine}' stdout.log.new; ln -s '${mine}' gpu.jsonl; ln -s '${mine}' pid.pending
head -c 70000000 /dev/zero | tr '\\0' x; sleep 3`,
    );
    assert.ok(existsSync(inRun("stdout.log.1")), "its log was long enough to be cut");
    assert.equal(outcome.failure, null, outcome.message);
    assert.equal(readFileSync(mine, "utf8"), "mine\n");
  });

  it("makes a version incomplete when its policy holds a link to something else", async () => {
    const link =
      await trained(`rm -rf "$EVO_POLICY_OUT"; mkdir "$EVO_POLICY_OUT"; ln -s /etc "$EVO_POLICY_OUT/etc"
trap 'rm -f "$EVO_POLICY_OUT/policy"' EXIT`);
    assert.equal(link.failure, "incomplete", link.message);
    assert.match(link.message, /holds links to other files/);
  });

  it("makes a version incomplete when its policy is a pipe, for which a later job would wait", async () => {
    const pipe = await trained(
      `mkdir -p "\${EVO_POLICY_OUT%/*}"; mkfifo "$EVO_POLICY_OUT"; trap 'exit 0' EXIT`,
    );
    assert.equal(pipe.failure, "incomplete", pipe.message);
    assert.match(pipe.message, /is a pipe/);
  });

  it("goes with its checkout, however deep it nested folders there", async () => {
    const outcome = await trained(`cd "$OLDPWD"; python3 -c '
import os
for _ in range(40):
    os.mkdir("0" * 200)
    os.chdir("0" * 200)
'`);
    assert.equal(outcome.failure, null, outcome.message);
    assert.ok(!existsSync(statePath(repository, "worktrees", "v1-seed1")));
  });
});
