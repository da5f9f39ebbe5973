import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { HarnessError, type Reason } from "../base/errors.ts";
import { skipBecause } from "../../../test/support/base/skip.ts";
import type { JobStatus } from "./job/executor.ts";
import { LocalExecutor } from "./local.ts";
import { keeperPath, makeTestJobs, processesOf, until } from "../../../test/support/runner/jobs.ts";
import { stubborn, useLocalJobs } from "../../../test/support/runner/localJobs.ts";

const hasReason = (reason: Reason, message: RegExp) => (e: unknown) =>
  HarnessError.is(e, reason) && message.test(e.message);

describe("the local executor", function () {
  const local = useLocalJobs(this);
  const { file, finish, reached } = local;

  it("hands a job over out of reach of a Ctrl+C in the terminal", async () => {
    const keeper = join(local.jobs.root, "keeper.sh");
    writeFileSync(
      keeper,
      `ps -o pgid= -p $$ >"${local.jobs.root}/group"; ps -o pgid= -p ${process.pid} >>"${local.jobs.root}/group"`,
    );
    const executor = new LocalExecutor({ runsDirectory: local.jobs.runs, keeper });
    await assert.rejects(
      executor.submit({
        id: "job",
        command: ["true"],
        cwd: local.jobs.root,
        environment: {},
        budgetSeconds: 5,
      }),
    );
    const [ofKeeper, ofUs] = readFileSync(join(local.jobs.root, "group"), "utf8").trim().split(/\s+/);
    assert.ok(ofKeeper !== undefined && ofUs !== undefined && ofKeeper !== ofUs, `${ofKeeper} and ${ofUs}`);
  });

  const endings: [string, string, Partial<JobStatus>][] = [
    ["success", "echo fine; echo problem >&2", { state: "exited", exitCode: 0, signal: null }],
    ["an exit code", "exit 7", { state: "exited", exitCode: 7, signal: null }],
    [
      "an exit code over 128 that is not a signal",
      "exit 255",
      { state: "exited", exitCode: 255, signal: null },
    ],
    ["SIGKILL of the trainer", "kill -KILL $$", { state: "exited", exitCode: null, signal: "SIGKILL" }],
    ["SIGSEGV", "kill -SEGV $$", { state: "exited", exitCode: null, signal: "SIGSEGV" }],
    ["SIGKILL of its whole group", "kill -KILL 0", { state: "exited", exitCode: null, signal: "SIGKILL" }],
  ];
  for (const [name, script, expected] of endings)
    it(`reports ${name}`, async () => {
      const status = await finish(script);
      const { cancelled, timedOut, oversize, reason } = status;
      assert.deepEqual(
        { cancelled, timedOut, oversize, reason },
        { cancelled: false, timedOut: false, oversize: false, reason: null },
      );
      for (const [key, value] of Object.entries(expected)) assert.equal({ ...status }[key], value, key);
      assert.ok(status.seconds >= 0 && status.heartbeatAgeSeconds !== null);
    });

  it("keeps logs and all other files private to the user", async () => {
    const id = await local.jobs.start("echo out; echo err >&2; echo x >$EVO_RUN_DIR/rollouts.jsonl");
    await local.jobs.executor.wait(id);
    assert.equal(file(id, "stdout.log"), "out\n");
    assert.equal(file(id, "stderr.log"), "err\n");
    for (const name of ["", "stdout.log", "job", "keeper", "pid", "rollouts.jsonl", "exit"])
      assert.equal(statSync(join(local.jobs.runs, id, name)).mode & 0o077, 0, name);
    assert.equal(file(id, "keeper.log"), "");
  });

  it("gives the job a minimal environment, the contract's variables and the declared ones, and no secret", async () => {
    process.env["EVOTRAINER_TEST_SECRET"] = "s3cret";
    try {
      const status = await finish("env >$EVO_RUN_DIR/env; pwd >>$EVO_RUN_DIR/env; tty >>$EVO_RUN_DIR/env", {
        environment: { MINE: "a b\nc", EVO_JOB: "forged" },
        budgetSeconds: 12.5,
      });
      const text = file(status.id, "env");
      for (const line of [
        "EVO_JOB=job-1",
        "EVO_RUN_ID=job-1",
        "EVO_BUDGET_SECONDS=12.5",
        `EVO_RUN_DIR=${local.jobs.runs}/job-1`,
        "MINE=a b",
        local.jobs.root,
        "not a tty",
      ])
        assert.ok(text.split("\n").includes(line), line);
      const names = [...text.matchAll(/^([A-Z_a-z]+)=/gm)].map((m) => m[1]);
      const allowed =
        /^(EVO_|MINE$|PATH$|HOME$|USER$|LOGNAME$|SHELL$|LANG$|LC_|TZ$|TMPDIR$|PWD$|OLDPWD$|SHLVL$|_$)/;
      assert.deepEqual(
        names.filter((n) => !allowed.test(n ?? "")),
        [],
      );
      assert.ok(!text.includes("s3cret") && !file(status.id, "job").includes("s3cret"));
    } finally {
      delete process.env["EVOTRAINER_TEST_SECRET"];
    }
  });

  it("passes arguments unchanged, without a shell", async () => {
    const args = ["a b", "$HOME", "'\"", "-n", "", "--", "x=y", "*", "line\nbreak"].filter((a) => a !== "");
    const id = await local.jobs.start("", {
      command: [
        process.execPath,
        "-e",
        "require('fs').writeFileSync(process.env.EVO_RUN_DIR+'/args', JSON.stringify(process.argv.slice(1)))",
        "--",
        ...args,
      ],
    });
    assert.equal((await local.jobs.executor.wait(id)).exitCode, 0);
    assert.deepEqual(JSON.parse(file(id, "args")), args);
  });

  it("reports a program or folder that does not exist", async () => {
    const id = await local.jobs.start("", { command: ["no-such-program"] });
    assert.equal((await local.jobs.executor.wait(id)).exitCode, 127);
    assert.match(file(id, "stderr.log"), /no-such-program/);
    const lost = await finish("true", { cwd: join(local.jobs.root, "gone") });
    assert.equal(lost.state, "exited");
    assert.match(lost.reason ?? "", /could not be started in .*gone/);
  });

  it("stops a job at its budget with one TERM, and with KILL when the job ignores it", async () => {
    const gentle = await finish(
      `trap 'echo TERM >>"$EVO_RUN_DIR/terms"; exit 0' TERM; while :; do sleep 0.05; done`,
      { budgetSeconds: 1, graceSeconds: 30 },
    );
    assert.deepEqual(
      [gentle.timedOut, gentle.cancelled, gentle.exitCode, gentle.signal],
      [true, false, 0, null],
    );
    assert.equal(file(gentle.id, "terms"), "TERM\n");
    const hard = await finish(stubborn, { budgetSeconds: 1, graceSeconds: 0.5 });
    assert.deepEqual([hard.timedOut, hard.exitCode, hard.signal], [true, null, "SIGKILL"]);
    assert.equal(file(hard.id, "terms"), "TERM\n");
  });

  it("cancels with one TERM however often it is asked, then with KILL", async () => {
    const id = await local.jobs.start(stubborn);
    await reached(id, "ready");
    await Promise.all([local.jobs.executor.cancel(id), local.jobs.another().cancel(id)]);
    await reached(id, "terms");
    await local.jobs.executor.cancel(id);
    const status = await local.jobs.executor.wait(id);
    assert.deepEqual([status.cancelled, status.timedOut, status.signal], [true, false, "SIGKILL"]);
    assert.equal(file(id, "terms"), "TERM\n");
    await local.jobs.executor.cancel(id);
    assert.equal((await local.jobs.executor.status(id)).state, "exited");
  });

  it("never starts a job that was cancelled earlier", async () => {
    const id = "early";
    const lazy = join(local.jobs.root, "lazy.sh");
    writeFileSync(lazy, `[ "$1" = keep ] || exec sh '${keeperPath}' "$@"`);
    const idle = new LocalExecutor({ runsDirectory: local.jobs.runs, keeper: lazy });
    await idle.submit({
      id,
      command: ["sh", "-c", "touch $EVO_RUN_DIR/ran"],
      cwd: local.jobs.root,
      environment: {},
      budgetSeconds: 10,
    });
    await idle.cancel(id);
    const status = await local.jobs.executor.wait(id);
    assert.deepEqual(
      [status.state, status.cancelled, status.exitCode, status.seconds],
      ["exited", true, null, 0],
    );
    assert.equal(existsSync(join(local.jobs.runs, id, "ran")), false);
  });

  it("finds and kills processes that left the process group, after a cancel and at the end", async () => {
    const escape = `setsid sh -c ': >$EVO_RUN_DIR/escaped; exec sleep 600' & while [ ! -e "$EVO_RUN_DIR/escaped" ]; do sleep 0.02; done;`;
    // Every command of these jobs names its 600 seconds, and none of the keeper does: its own short sleeps may outlive the job.
    const left = (id: string): string[] =>
      processesOf(join(local.jobs.runs, id)).flatMap(({ command }) =>
        command.includes("sleep 600") ? [command] : [],
      );
    const cancelled = await local.jobs.start(`${escape} sleep 600; :`);
    await until("the job and both of its sleeps", () => left(cancelled).length === 3);
    await local.jobs.executor.cancel(cancelled);
    await local.jobs.executor.wait(cancelled);
    assert.deepEqual(left(cancelled), []);
    const daemon = await finish(`${escape} sleep 600 & exit 3`);
    assert.equal(daemon.exitCode, 3);
    assert.deepEqual(left(daemon.id), []);
  });

  it("spares a process of another job with the same id in another place", async () => {
    const other = makeTestJobs();
    const id = await other.start(": >$EVO_RUN_DIR/ready; sleep 600");
    await until("ready", () => existsSync(join(other.runs, id, "ready")));
    try {
      assert.equal((await finish("exit 0", { id })).exitCode, 0);
      assert.equal((await other.executor.status(id)).state, "running");
    } finally {
      await other.executor.cancel(id);
      await other.executor.wait(id);
      await other.dispose();
    }
  });

  it("starts once when many submit at the same time, and refuses another spec under the same id", async () => {
    const script = "echo started >>$EVO_RUN_DIR/starts; sleep 0.2";
    const request = {
      id: "one",
      command: ["sh", "-c", script],
      cwd: local.jobs.root,
      environment: {},
      budgetSeconds: 60,
    };
    const executors = Array.from({ length: 6 }, () => local.jobs.another());
    await Promise.all(executors.map((e) => e.submit(request)));
    await Promise.all(executors.map((e) => e.wait("one")));
    await local.jobs.executor.submit(request);
    assert.equal(file("one", "starts"), "started\n");
    await assert.rejects(
      local.jobs.executor.submit({ ...request, budgetSeconds: 61 }),
      hasReason("badInput", /Another job \S+ is already in /),
    );
  });

  it("recognises a job although PATH has changed", async () => {
    const id = await local.jobs.start("exit 0");
    const path = process.env["PATH"];
    process.env["PATH"] = `${path ?? ""}:/elsewhere`;
    try {
      await local.jobs.start("exit 0", { id });
    } finally {
      process.env["PATH"] = path;
    }
    await local.jobs.executor.wait(id);
  });

  const badIds = ["", "..", "../x", "a/b", ".hidden", "a b", "x".repeat(101), "-x"];
  it("refuses ids that are not folder names, and jobs that do not exist", async () => {
    for (const id of badIds)
      await assert.rejects(local.jobs.start("true", { id }), hasReason("badInput", /cannot be the id/));
    await assert.rejects(local.jobs.executor.status("nope"), hasReason("notFound", /no job nope/));
    await assert.rejects(local.jobs.executor.cancel("nope"), hasReason("notFound", /no job nope/));
    mkdirSync(join(local.jobs.runs, "broken"));
    writeFileSync(join(local.jobs.runs, "broken/job"), "{");
    await assert.rejects(
      local.jobs.executor.wait("broken"),
      hasReason("jobFailed", /did not start: .*is not a job/),
    );
  });

  it("notices the end of a job before it looks the next time", async () => {
    const id = await local.jobs.start("sleep 0.5");
    const seldom = new LocalExecutor({
      runsDirectory: local.jobs.runs,
      keeper: keeperPath,
      pollMilliseconds: 600_000,
    });
    assert.equal((await seldom.wait(id)).exitCode, 0);
  });

  it("stops waiting without stopping the job", async () => {
    const id = await local.jobs.start(": >$EVO_RUN_DIR/ready; sleep 600");
    const stop = new AbortController();
    const waiting = local.jobs.executor.wait(id, { signal: stop.signal });
    await reached(id, "ready");
    stop.abort();
    await assert.rejects(waiting, hasReason("cancelled", /keeps running/));
    assert.equal((await local.jobs.executor.status(id)).state, "running");
    await local.jobs.executor.cancel(id);
    await local.jobs.executor.wait(id);
  });

  it("shows that a live job is alive", async () => {
    const id = await local.jobs.start(": >$EVO_RUN_DIR/ready; sleep 600");
    await reached(id, "ready");
    const old = new Date(Date.now() - 100_000);
    utimesSync(join(local.jobs.runs, id, "heartbeat"), old, old);
    await until(
      "a fresh heartbeat",
      async () => ((await local.jobs.executor.status(id)).heartbeatAgeSeconds ?? 99) < 50,
    );
    await local.jobs.executor.cancel(id);
    await local.jobs.executor.wait(id);
  });

  it("stops a job whose evidence grows too large", async () => {
    const status = await finish(
      "while :; do head -c 1000 /dev/zero >>$EVO_RUN_DIR/rollouts.jsonl; sleep 0.01; done",
      { evidenceLimitBytes: 5000 },
    );
    assert.deepEqual(
      [status.oversize, status.timedOut, status.cancelled, status.signal],
      [true, false, false, "SIGTERM"],
    );
  });

  it("keeps logs small and their end readable", async () => {
    const id = await local.jobs.start(
      'i=0; while [ $i -lt 400 ]; do echo "line $i 0123456789012345678901234567890123456789"; i=$((i+1)); done; : >$EVO_RUN_DIR/ready; while [ ! -e "$EVO_RUN_DIR/go" ]; do sleep 0.05; done; echo last',
      { logLimitBytes: 4096 },
    );
    await reached(id, "ready");
    await until(
      "the log was cut",
      () =>
        readdirSync(join(local.jobs.runs, id)).includes("stdout.log.1") &&
        statSync(join(local.jobs.runs, id, "stdout.log")).size === 0,
    );
    writeFileSync(join(local.jobs.runs, id, "go"), "");
    await local.jobs.executor.wait(id);
    assert.match(file(id, "stdout.log.1"), /line 399/);
    assert.equal(file(id, "stdout.log"), "last\n");
  });

  it("says why a keeper does not start", async () => {
    const bad = join(local.jobs.root, "bad.sh");
    writeFileSync(bad, `[ "$1" = submit ] && exec sh '${keeperPath}' "$@"; echo 'too tired' >&2; exit 1`);
    const broken = new LocalExecutor({ runsDirectory: local.jobs.runs, keeper: bad, pollMilliseconds: 20 });
    const request = { id: "k", command: ["true"], cwd: local.jobs.root, environment: {}, budgetSeconds: 10 };
    await broken.submit(request);
    await assert.rejects(
      broken.wait("k"),
      hasReason("jobFailed", /keeper of the job k did not start: too tired/),
    );
    assert.equal((await local.jobs.executor.wait("k")).exitCode, 0);
  });

  it("records the end of a job that filled the disk", async function () {
    const mounted = join(local.jobs.root, "tiny");
    mkdirSync(mounted);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "none", mounted], { stdio: "ignore" });
    } catch {
      skipBecause(this, "this system does not let the test mount a file system");
    }
    try {
      const tiny = makeTestJobs(mounted);
      const id = await tiny.start("cat /dev/zero >$EVO_RUN_DIR/rollouts.jsonl; echo full >&2; exit 4");
      const status = await tiny.executor.wait(id);
      assert.deepEqual([status.state, status.exitCode], ["exited", 4]);
      const cancelled = makeTestJobs(mounted);
      await assert.rejects(cancelled.start("true", { id: "other" }), hasReason("diskFull", /disk is full/));
      execFileSync("rm", [join(tiny.runs, id, "rollouts.jsonl")]);
      assert.equal((await tiny.executor.wait(await cancelled.start("exit 6", { id: "other" }))).exitCode, 6);

      const hungry = await tiny.start(
        `cat /dev/zero >$EVO_RUN_DIR/rollouts.jsonl; : ; ${stubborn.replace(": >$EVO_RUN_DIR/ready;", "")}`,
        { id: "hungry", graceSeconds: 0.5 },
      );
      await until(
        "the disk is full",
        () => statSync(join(tiny.runs, hungry, "rollouts.jsonl"), { throwIfNoEntry: false })?.size,
      );
      await tiny.executor.cancel(hungry);
      const stopped = await tiny.executor.wait(hungry);
      assert.deepEqual([stopped.cancelled, stopped.state], [true, "exited"]);
      await tiny.dispose();
    } finally {
      execFileSync("umount", ["-l", mounted]);
    }
  });
});
