import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { hash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FailureClass } from "../../../shared/model/failureClass.ts";
import { skipBecause } from "../../../test/support/base/skip.ts";
import { HarnessError } from "../base/errors.ts";
import { addCheckout, checkoutDirectory } from "../lineage/checkouts/checkout.ts";
import { openLedger } from "../lineage/ledger.ts";
import { openRepository, statePath, type Repository } from "../lineage/repository.ts";
import { makeTestRepository, type TestRepository } from "../../../test/support/lineage/repository.ts";
import { createVersion } from "../lineage/versions.ts";
import { LocalExecutor } from "./local.ts";
import { adoptRecords, writeRecord } from "./job/jobRecords.ts";
import { readOutcome } from "./job/outcome.ts";
import type { JobProgress } from "./job/progress.ts";
import { runJob, type RunRequest } from "./runVersion.ts";
import { keeperPath, processesOf, until } from "../../../test/support/runner/jobs.ts";
import {
  testProject,
  testProjectFiles,
  trainerScript,
  waitFor,
} from "../../../test/support/runner/project.ts";
import { programArguments } from "../../../test/support/base/program.ts";

/** A job of it can do what a confined one cannot (confine/confinedJob.test.ts): it is found out instead. */
const unconfined = (more: Parameters<typeof testProject>[0] = {}) => testProject({ ...more, confine: "off" });

describe("runJob", function () {
  this.timeout(60_000);
  before(function () {
    if (process.platform !== "linux") skipBecause(this, "the keeper reads /proc, which only Linux has");
  });
  let made: TestRepository;
  let repository: Repository;
  let executor: LocalExecutor;
  let head: string;
  beforeEach(async () => {
    made = makeTestRepository(testProjectFiles());
    repository = await openRepository(made.root);
    executor = new LocalExecutor({
      runsDirectory: statePath(repository, "runs"),
      keeper: keeperPath,
      pollMilliseconds: 30,
    });
    head = made.git("rev-parse", "HEAD");
  });
  afterEach(async () => {
    try {
      await until("no process is left", () => processesOf(made.root).length === 0, 10);
      assert.equal(made.git("worktree", "list").split("\n").length, 1);
      assert.equal(made.git("status", "--porcelain"), "");
    } finally {
      for (const { pid } of processesOf(made.root)) process.kill(pid, "SIGKILL");
      made.dispose();
    }
  });

  const version = async (edits: Record<string, string>, name = "v1") =>
    (
      await createVersion(repository, {
        domain: "swe",
        name,
        parent: head,
        edits: Object.entries(edits).map(([path, content]) => ({ path, content })),
        message: name,
        at: new Date(0),
      })
    ).commit;
  const run = (more: Partial<RunRequest> = {}) =>
    runJob({
      repository,
      commit: head,
      project: unconfined(),
      version: "v1",
      seed: 1,
      splits: ["train", "selection"],
      budgetSeconds: 60,
      graceSeconds: 1,
      executor,
      ...more,
    });
  const trained = async (body: string, more: Partial<RunRequest> = {}) =>
    run({ commit: await version({ "train.sh": trainerScript(body) }), ...more });
  const runFile = (name: string, id = "v1-seed1") => join(executor.directoryOf(id), name);

  it("trains the version's files with the contract's environment, reports progress and removes the checkout", async () => {
    const commit = await version({
      "harness/main.yaml": "shape: binary\n",
      "train.sh": trainerScript(waitFor("go")),
    });
    const seen: JobProgress[] = [];
    const outcome = await run({
      commit,
      seed: 7,
      policyIn: "/policies/base",
      onProgress: (progress) => {
        seen.push(progress);
        if (progress.step === 1) writeFileSync(runFile("go", "v1-seed7"), "");
      },
    });
    assert.deepEqual([outcome.ok, outcome.failure, outcome.run], [true, null, "v1-seed7"]);
    assert.equal(outcome.policy, runFile("policy", "v1-seed7"));
    assert.equal(
      readFileSync(join(outcome.policy, "policy"), "utf8"),
      `7 /policies/base train,selection ${commit}\n`,
    );
    assert.equal(readFileSync(runFile("seen", "v1-seed7"), "utf8"), "shape: binary\n");
    assert.equal(existsSync(checkoutDirectory(repository, "v1-seed7")), false);
    const first = seen.find((p) => p.step === 1);
    assert.deepEqual([first?.stepsTotal, first?.reward, first?.state], [2, 0.25, "running"]);
    assert.equal(seen.at(-1)?.state, "exited");
  });

  it("runs a project in a folder of a larger repository", async () => {
    for (const [path, content] of Object.entries(testProjectFiles()))
      made.write(`packages/p/${path}`, content);
    const commit = made.commit();
    const inner = await openRepository(join(made.root, "packages/p"));
    const runs = new LocalExecutor({ runsDirectory: statePath(inner, "runs"), keeper: keeperPath });
    const outcome = await run({ repository: inner, commit, executor: runs });
    assert.equal(outcome.ok, true, outcome.message);
    assert.equal(outcome.runDirectory, join(made.root, "packages/p/.evotrainer/runs/v1-seed1"));
  });

  const failures: [string, string, FailureClass, RegExp, Partial<RunRequest>?][] = [
    [
      "crashes",
      "echo 'RuntimeError: no gradient' >&2; exit 3",
      "crash",
      /exited with 3 after 1 rollout \(last line: RuntimeError: no gradient\)/,
    ],
    ["is killed", "kill -KILL $$", "crash", /ended by SIGKILL/],
    [
      "hangs while training",
      "sleep 600",
      "train_budget_overrun",
      /still training when its 1 s had passed/,
      { budgetSeconds: 1 },
    ],
    [
      "hangs while evaluating and ignores TERM",
      `trap '' TERM; echo '{"split":"selection","item":"s1"}' >>"$EVO_RUN_DIR/rollouts.jsonl"; while :; do sleep 0.05; done`,
      "eval_budget_overrun",
      /still evaluating/,
      { budgetSeconds: 1, graceSeconds: 0.3 },
    ],
    ["writes nothing", 'rm "$EVO_RUN_DIR"/*.jsonl; exit 0', "incomplete", /no rollouts of the train split/],
    [
      "stops early without saying so",
      `echo '{"split":"selection","item":"s1"}' >>"$EVO_RUN_DIR/rollouts.jsonl"; exit 0`,
      "incomplete",
      /1 of 2 items of the selection split have no rollout, first s2/,
    ],
    [
      "is killed in the middle of a line",
      `printf '{"split":"selection","item' >>"$EVO_RUN_DIR/rollouts.jsonl"; kill -KILL $$`,
      "crash",
      /after 1 rollout/,
    ],
    [
      "writes a torn last line",
      `printf '{"split":"selection","item' >>"$EVO_RUN_DIR/rollouts.jsonl"; exit 0`,
      "incomplete",
      /1 line was torn/,
    ],
    [
      "writes too much",
      `cat /dev/zero >>"$EVO_RUN_DIR/rollouts.jsonl"`,
      "size_blocked",
      /grew beyond/,
      { evidenceLimitBytes: 100_000 },
    ],
    [
      "changes a split, evaluates, and puts it back with its time",
      `cp -p data/selection.jsonl /tmp/kept.$$; echo '{"id":"s1"}' >data/selection.jsonl; cat /tmp/kept.$$ >data/selection.jsonl; touch -r /tmp/kept.$$ data/selection.jsonl; rm /tmp/kept.$$`,
      "disqualified",
      /changed the evaluation file data\/selection\.jsonl and put it back/,
    ],
    [
      "puts another split in its place for a while",
      `mv data/selection.jsonl kept; echo '{"id":"s1"}' >data/selection.jsonl; mv kept data/selection.jsonl`,
      "disqualified",
      /changed the evaluation file data\/selection\.jsonl and put it back/,
    ],
    [
      "puts another folder in its place for a while",
      `mv data kept; mkdir data; echo '{"id":"s1"}' >data/selection.jsonl; rm -r data; mv kept data`,
      "disqualified",
      /changed the evaluation file data and put it back/,
    ],
    [
      "changes the evaluator",
      "echo exit 0 >eval/check.sh",
      "disqualified",
      /changed the evaluation file eval\/check\.sh/,
    ],
    [
      "changes a split and crashes",
      "echo >>data/selection.jsonl; exit 1",
      "disqualified",
      /data\/selection\.jsonl/,
    ],
    ["adds an evaluation file", "echo >eval/more", "disqualified", /evaluation file eval\/more,/],
  ];
  for (const [name, body, failure, message, more] of failures)
    it(`reports ${failure} when the trainer ${name}`, async () => {
      const outcome = await trained(body, more);
      assert.equal(outcome.failure, failure, outcome.message);
      assert.equal(outcome.ok, false);
      assert.match(outcome.message, message);
      assert.deepEqual(await trained(body, more), outcome);
    });

  it("reports preflight_crash when the trainer cannot start", async () => {
    const outcome = await run({ commit: await version({ "train.sh": "no-such-tool --train\n" }) });
    assert.equal(outcome.failure, "preflight_crash");
    assert.match(outcome.message, /127 before its first evidence .*no-such-tool/);
  });

  it("refuses a version whose evaluation is missing or outside the checkout, and leaves nothing behind", async () => {
    const project = unconfined({ files: ["gone.py"] });
    await assert.rejects(
      run({ project }),
      (e) => HarnessError.is(e, "projectInvalid") && /gone\.py/.test(e.message),
    );
    symlinkSync("/etc/passwd", join(made.root, "eval/passwd"));
    const commit = made.commit();
    await assert.rejects(
      run({ commit }),
      (e) => HarnessError.is(e, "projectInvalid") && /leads out/.test(e.message),
    );
    assert.equal(existsSync(checkoutDirectory(repository, "v1-seed1")), false);
  });

  it("cancels a run", async () => {
    const stop = new AbortController();
    const outcome = await trained(`: >"$EVO_RUN_DIR/ready"; sleep 600`, {
      signal: stop.signal,
      onProgress: ({ state }) => state === "running" && stop.abort(),
    });
    assert.equal(outcome.failure, "harness_abort");
    assert.match(outcome.message, /cancelled/);
    await assert.rejects(run({ run: "other", signal: stop.signal }), (e) => HarnessError.is(e, "cancelled"));
  });

  describe("believes only its own records", () => {
    const forged = (more: object = {}): string =>
      JSON.stringify({
        ...{
          ok: true,
          failure: null,
          message: "fine",
          run: "v1-seed1",
          commit: head,
          policy: null,
          seconds: 1,
        },
        ...{ runDirectory: executor.directoryOf("v1-seed1"), ...more },
      });

    it("not an outcome that the trainer wrote, after a restart", async () => {
      const leave = new AbortController();
      const body = `echo "{\\"commit\\":\\"$EVO_HARNESS\\",$FORGED" >"$EVO_RUN_DIR/outcome.json"; : >"$EVO_RUN_DIR/ready"; ${waitFor("go")}; exit 3`;
      const commit = await version({ "train.sh": trainerScript(body) });
      const project = unconfined({ environment: { FORGED: forged({ commit: undefined }).slice(1) } });
      const left = run({ commit, project, detach: leave.signal });
      await until("the trainer runs", () => existsSync(runFile("ready")));
      leave.abort();
      await assert.rejects(left, (e) => HarnessError.is(e, "cancelled"));
      writeFileSync(runFile("go"), "");
      const outcome = await run({ commit, project });
      assert.deepEqual([outcome.ok, outcome.failure], [false, "crash"], outcome.message);
    });

    it("not an outcome that another run's trainer left for it", async () => {
      const first = await trained('mkdir -p "$EVO_RUN_DIR/../v2-seed1"; : >"$EVO_RUN_DIR/../v2-seed1/made"');
      assert.equal(first.ok, true, first.message);
      assert.ok(existsSync(runFile("made", "v2-seed1")));
      writeFileSync(runFile("outcome.json", "v2-seed1"), forged({ run: "v2-seed1" }));
      const second = await run({ version: "v2" });
      assert.equal(second.message.startsWith("The job finished"), true, second.message);
      assert.ok(existsSync(runFile("starts", "v2-seed1")));
    });

    it("also when many jobs take over what earlier releases left at the same moment", async () => {
      const old = executor.directoryOf("old.train.s1");
      mkdirSync(old, { recursive: true });
      writeFileSync(join(old, "outcome.json"), forged({ run: "old.train.s1" }));
      await Promise.all(Array.from({ length: 8 }, () => adoptRecords(old)));
      writeFileSync(join(old, "outcome.json"), "later");
      assert.equal((await readOutcome(old))?.message, "fine");
      assert.deepEqual(
        readdirSync(join(made.root, ".evotrainer")).filter((name) => name.endsWith(".new")),
        [],
      );
    });

    it("and loses none of them when a record is written before any job is run", async () => {
      const [old, other] = [executor.directoryOf("old.train.s1"), executor.directoryOf("other.train.s1")];
      mkdirSync(old, { recursive: true });
      writeFileSync(join(old, "outcome.json"), forged({ run: "old.train.s1" }));
      await writeRecord(other, "stamps.json", {});
      assert.equal((await readOutcome(old))?.message, "fine");
    });

    it("and that of an earlier release, from before", async () => {
      mkdirSync(executor.directoryOf("v1-seed1"), { recursive: true });
      writeFileSync(runFile("outcome.json"), forged());
      utimesSync(runFile("outcome.json"), 1000, 1000);
      assert.equal((await run()).message, "fine");
      assert.ok(!existsSync(runFile("starts")));
      const adopted = join(made.root, ".evotrainer/records/runs/v1-seed1/outcome.json");
      assert.equal(statSync(adopted).mtimeMs, 1_000_000);
    });
  });

  it("closes the run: the ledger says what each evidence file is", async () => {
    const outcome = await trained("");
    assert.equal(outcome.ok, true, outcome.message);
    const { entries } = await openLedger(repository).read();
    const closings = [...entries].flatMap((e) => (e.type === "closing" ? [e] : []));
    assert.deepEqual(
      closings.map(({ run, version, domain, files }) => [run, version, domain, files.map((f) => f.name)]),
      [["v1-seed1", "v1", "swe", ["rollouts.jsonl", "metrics.jsonl"]]],
    );
    for (const { name, bytes, sha256 } of closings[0]?.files ?? []) {
      const content = readFileSync(runFile(name));
      assert.deepEqual([bytes, sha256], [content.length, hash("sha256", content)]);
    }
    assert.equal((await run({ commit: outcome.commit })).message, outcome.message);
    assert.equal((await openLedger(repository).read()).entries.length, entries.length);
  });

  it("gives a job the audit split only when it is asked for it", async () => {
    const body =
      'for f in data/*; do echo "$f"; done >"$EVO_RUN_DIR/files"; git status --porcelain >>"$EVO_RUN_DIR/files"';
    const commit = await version({ "train.sh": trainerScript(body) });
    assert.equal((await run({ commit })).failure, null);
    assert.equal(readFileSync(runFile("files"), "utf8"), "data/selection.jsonl\ndata/train.jsonl\n");
    await run({ commit, splits: ["audit"], run: "opened" });
    assert.match(readFileSync(runFile("files", "opened"), "utf8"), /^data\/audit\.jsonl$/m);
  });

  it("disqualifies a job that writes its own audit split", async () => {
    const outcome = await trained('echo \'{"id":"easy"}\' >data/audit.jsonl');
    assert.equal(outcome.failure, "disqualified", outcome.message);
    assert.match(outcome.message, /data\/audit\.jsonl/);
  });

  it("can leave a run and take it up again", async () => {
    const leave = new AbortController();
    const body = waitFor("go");
    const left = trained(body, { detach: leave.signal });
    await until("the trainer runs", () => existsSync(runFile("starts")));
    leave.abort();
    await assert.rejects(left, (e) => HarnessError.is(e, "cancelled"));
    writeFileSync(runFile("go"), "");
    const outcome = await trained(body);
    assert.equal(outcome.ok, true, outcome.message);
    assert.equal(readFileSync(runFile("starts"), "utf8"), "started\n");
  });

  it("keeps runs with the same id in different projects separate", async () => {
    assert.equal((await run()).ok, true);
    const other = await version({ "harness/main.yaml": "shape: x\n" });
    await assert.rejects(
      run({ commit: other }),
      (e) => HarnessError.is(e, "badInput") && /belongs to commit/.test(e.message),
    );
    assert.equal((await run({ commit: other, run: "v1-seed1.2" })).ok, true);
  });

  it("replaces a checkout that a crash left behind", async () => {
    const directory = checkoutDirectory(repository, "v1-seed1");
    await addCheckout(repository, head, directory);
    rmSync(join(directory, ".git"));
    writeFileSync(join(directory, "eval/check.sh"), "half");
    assert.equal((await run()).ok, true);
  });

  it("cannot confirm the evaluation when the checkout is gone", async () => {
    const left = trained(`: >"$EVO_RUN_DIR/ready"; ${waitFor("go")}`);
    await until("the trainer runs", () => existsSync(runFile("ready")));
    rmSync(checkoutDirectory(repository, "v1-seed1"), { recursive: true });
    writeFileSync(runFile("go"), "");
    assert.equal((await left).failure, "harness_abort");
  });

  // The engine dies as soon as it, or its job, has written the file.
  const recordNames = ["watch.json", "asked.json", "closing.json", "outcome.json"] as const;
  for (const moment of [...recordNames, "data.json", "job", "pid", "starts", "exit"])
    it(`gives the same result when the engine is killed as ${moment} appears`, async () => {
      const commit = await version({ "train.sh": trainerScript(moment === "starts" ? waitFor("go") : "") });
      const script = fileURLToPath(new URL("../../../test/support/runner/runEngine.ts", import.meta.url));
      const keeper = keeperPath;
      const engine = spawn(process.execPath, [...programArguments(script), made.root, keeper, commit], {
        stdio: ["ignore", "ignore", "inherit"],
        detached: true,
      });
      const record = recordNames.find((name) => name === moment);
      const file =
        record === undefined ? runFile(moment) : join(made.root, ".evotrainer/records/runs/v1-seed1", record);
      await until(moment, () => existsSync(file) || engine.exitCode !== null);
      engine.kill("SIGKILL");
      if (engine.exitCode === null && engine.signalCode === null) await once(engine, "exit");
      if (moment === "starts") writeFileSync(runFile("go"), "");
      const outcome = await run({ commit, budgetSeconds: 3600, graceSeconds: 10 });
      assert.deepEqual([outcome.ok, outcome.failure], [true, null], outcome.message);
      assert.equal(readFileSync(runFile("starts"), "utf8"), "started\n");
      assert.equal(readFileSync(runFile("rollouts.jsonl"), "utf8").split("\n").length, 4);
    });
});
