import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { HarnessError } from "../../base/errors.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { openRepository, type Repository } from "../../lineage/repository.ts";
import { findClosing } from "../job/closeRun.ts";
import { recordPath } from "../job/jobRecords.ts";
import type { JobRequest } from "../job/jobSpec.ts";
import { LocalExecutor } from "../local.ts";
import { runJob, type RunRequest } from "../runVersion.ts";
import { hostPrograms, keeperPath, until } from "../../../../test/support/runner/jobs.ts";
import { testProject, testProjectFiles, waitFor } from "../../../../test/support/runner/project.ts";
import { examineHost } from "../doctor/doctor.ts";
import { HostShell } from "./hostShell.ts";
import { HostWork, type HostPlace } from "./hostWork.ts";
import { SshExecutor } from "./sshExecutor.ts";
import { hostProblem, startTestHost, type TestHost } from "../../../../test/support/ssh/host.ts";

describe("jobs on an SSH host", function () {
  this.timeout(60_000);
  let started: TestHost | undefined;
  let host: TestHost;
  let root = "";
  let repository: Repository;
  const shells: HostShell[] = [];
  before(async function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
    started = host = await startTestHost();
    root = realpathSync(mkdtempSync(join(tmpdir(), "evo ssh jobs ")));
    commit(testProjectFiles());
    repository = await openRepository(root);
  });
  afterEach(() => {
    for (const shell of shells.splice(0)) shell.close();
  });
  after(async () => {
    if (root !== "") rmSync(root, { recursive: true, force: true });
    await started?.stop();
  });

  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], {
      cwd: root,
      encoding: "utf8",
    }).trim();
  function commit(files: Readonly<Record<string, string>>): string {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    if (!existsSync(join(root, ".git"))) git("init", "--quiet");
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "--message", "c");
    return git("rev-parse", "HEAD");
  }
  const runs = (): string => join(root, ".evotrainer/runs");
  function executor(): { executor: SshExecutor; shell: HostShell; work: HostWork } {
    const shell = new HostShell(host.route());
    shells.push(shell);
    const work = new HostWork(shell, repository, hostPrograms);
    return {
      executor: new SshExecutor({ shell, work, runsDirectory: runs(), pollMilliseconds: 50 }),
      shell,
      work,
    };
  }
  const job = (id: string, script: string, more: Partial<JobRequest> = {}): JobRequest => ({
    id,
    command: ["sh", "-c", script],
    cwd: host.home,
    environment: {},
    budgetSeconds: 120,
    graceSeconds: 1,
    ...more,
  });
  const there = (place: HostPlace, id: string, name: string): string => join(place.runs, id, name);
  const request = (
    more: Partial<RunRequest> & Pick<RunRequest, "commit" | "executor" | "run">,
  ): RunRequest => ({
    repository,
    project: testProject(),
    version: "v1",
    seed: 1,
    splits: ["train", "selection"],
    ...more,
  });

  it("run, are reported together, and can be cancelled", async () => {
    const { executor: e, shell } = executor();
    for (const [id, code] of [
      ["a", 0],
      ["b", 3],
    ] as const)
      await e.submit(job(id, `echo out; echo err >&2; exit ${code}`));
    await e.submit(job("a", "echo out; echo err >&2; exit 0"));
    const [a, b] = await Promise.all([e.wait("a"), e.wait("b")]);
    assert.deepEqual([a.exitCode, b.exitCode, shell.connects], [0, 3, 1]);
    assert.equal(readFileSync(join(runs(), "a/stderr.log"), "utf8"), "err\n");
    await assert.rejects(e.submit(job("a", "echo other")), (x) => HarnessError.is(x, "badInput"));
    await assert.rejects(e.status("nope"), (x) => HarnessError.is(x, "notFound"));
    await e.submit(job("c", `: >$EVO_RUN_DIR/ready; sleep 600`));
    await e.cancel("c");
    const c = await e.wait("c");
    assert.deepEqual([c.cancelled, c.state], [true, "exited"]);
    assert.equal(statSync(join(runs(), "a")).mode & 0o077, 0);
  });

  it("survive cut, killed and frozen connections, and every byte arrives once", async () => {
    const { executor: e, work } = executor();
    const lines =
      "i=0; while [ $i -lt 60 ]; do head -c 40000 /dev/urandom | base64 >>$EVO_RUN_DIR/rollouts.jsonl; i=$((i+1)); sleep 0.05; done; echo end; exit 4";
    await e.submit(job("long", lines));
    const waiting = e.wait("long");
    for (let fault = 0; fault < 6; fault++) {
      await delay(400);
      if (fault % 3 === 0) host.proxy.reset();
      else if (fault % 3 === 1) host.killSessions();
      else {
        host.proxy.freeze();
        await delay(600);
        host.proxy.reset();
        host.proxy.thaw();
      }
    }
    assert.equal((await waiting).exitCode, 4);
    const hash = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");
    const original = there(await work.place(), "long", "rollouts.jsonl");
    assert.ok(statSync(original).size > 3_000_000);
    assert.equal(hash(join(runs(), "long/rollouts.jsonl")), hash(original));
    assert.equal(readFileSync(join(runs(), "long/stdout.log"), "utf8"), "end\n");
  });

  it("are followed by another engine from the byte where the first one stopped", async () => {
    const first = executor();
    await first.executor.submit(
      job(
        "two",
        `echo 1 >>$EVO_RUN_DIR/rollouts.jsonl; ${waitFor("go")}; echo 2 >>$EVO_RUN_DIR/rollouts.jsonl`,
      ),
    );
    const stop = new AbortController();
    const waiting = first.executor.wait("two", { signal: stop.signal });
    const copy = join(runs(), "two/rollouts.jsonl");
    await until("the first line is here", () => existsSync(copy) && readFileSync(copy, "utf8") === "1\n");
    stop.abort();
    await assert.rejects(waiting, (e) => HarnessError.is(e, "cancelled"));
    writeFileSync(there(await first.work.place(), "two", "go"), "");
    assert.equal((await executor().executor.wait("two")).exitCode, 0);
    assert.equal(readFileSync(copy, "utf8"), "1\n2\n");
  });

  it("are copied once when two callers in one engine wait for them", async () => {
    const { executor: e, work } = executor();
    const script =
      "i=0; while [ $i -lt 20 ]; do head -c 30000 /dev/urandom | base64 >>$EVO_RUN_DIR/rollouts.jsonl; i=$((i+1)); sleep 0.05; done";
    await e.submit(job("waited", script));
    await Promise.all([e.wait("waited"), e.wait("waited"), e.wait("waited")]);
    const original = readFileSync(there(await work.place(), "waited", "rollouts.jsonl"));
    assert.ok(original.length > 500_000);
    assert.ok(original.equals(readFileSync(join(runs(), "waited/rollouts.jsonl"))));
  });

  it("replace logs that were cut and evidence that was written again", async () => {
    const { executor: e } = executor();
    await e.submit(
      job(
        "rotate",
        `seq 2000; echo old >$EVO_RUN_DIR/metrics.jsonl; ${waitFor("go")}; echo last; mv "$EVO_RUN_DIR/metrics.jsonl" "$EVO_RUN_DIR/kept"; echo brandnew >$EVO_RUN_DIR/metrics.jsonl`,
        { logLimitBytes: 5000 },
      ),
    );
    const waiting = e.wait("rotate");
    await until("the log was cut", () => existsSync(join(runs(), "rotate/stdout.log.1")) || undefined);
    await until("metrics are here", () => existsSync(join(runs(), "rotate/metrics.jsonl")) || undefined);
    writeFileSync(there(await executor().work.place(), "rotate", "go"), "");
    assert.equal((await waiting).exitCode, 0);
    assert.equal(readFileSync(join(runs(), "rotate/stdout.log"), "utf8"), "last\n");
    assert.match(readFileSync(join(runs(), "rotate/stdout.log.1"), "utf8"), /^2000$/m);
    assert.equal(readFileSync(join(runs(), "rotate/metrics.jsonl"), "utf8"), "brandnew\n");
  });

  it("train a version there from a local policy, and bring the new policy back", async () => {
    const { executor: e, work } = executor();
    const policyIn = join(root, ".evotrainer/in policy");
    mkdirSync(policyIn, { recursive: true });
    writeFileSync(join(policyIn, "weights"), "1 2 3");
    const head = commit({
      "train.sh":
        testProjectFiles(
          'cat "$EVO_POLICY_IN/weights" >"$EVO_RUN_DIR/stdin.copy"; cat "$EVO_POLICY_IN/weights"',
        )["train.sh"] ?? "",
    });
    const outcome = await runJob(request({ commit: head, executor: e, run: "trained", policyIn }));
    assert.deepEqual([outcome.failure, outcome.ok], [null, true], outcome.message);
    assert.equal(readFileSync(join(runs(), "trained/stdout.log"), "utf8"), "1 2 3");
    assert.match(
      readFileSync(join(outcome.policy ?? "", "policy"), "utf8"),
      /^1 \/.*\/policies\/[0-9a-f]{32}\/policy train,selection [0-9a-f]{40}\n$/,
    );
    // What was fetched is closed.
    const closing = await findClosing(repository, "trained", join(runs(), "trained"));
    assert.deepEqual(
      closing?.files.map(({ name, bytes }) => [name, bytes]),
      ["rollouts.jsonl", "metrics.jsonl"].map((name) => [name, statSync(join(runs(), "trained", name)).size]),
    );
    const place = await work.place();
    assert.deepEqual([readdirSync(place.checkouts), readdirSync(place.policies).length], [[], 1]);
    const facts = await examineHost(host.route({ gpus: 0 }));
    assert.deepEqual(
      facts.filter((f) => ["login", "keeper", "clock"].includes(f.about)).map((f) => f.state),
      ["good", "good", "good"],
    );
    const wanting = await examineHost(
      host.route({ gpus: 64, python: "no-such-python", directory: "/proc/nowhere" }),
    );
    assert.deepEqual(
      wanting.filter((f) => f.mend !== null).map((f) => [f.about, f.state]),
      [
        ["disk", "bad"],
        ["python", "note"],
        ["gpus", "bad"],
      ],
    );
    assert.deepEqual(
      (await examineHost(host.route({ user: "nobody-here" }))).map((f) => [f.about, f.state]),
      [["login", "bad"]],
    );
    // The next commit is sent as a difference, the same policy not at all.
    const next = commit({ "harness/main.yaml": "shape: round\n" });
    assert.ok((await runJob(request({ commit: next, executor: e, run: "trained2", policyIn }))).ok);
    assert.equal(readdirSync(place.policies).length, 1);
    // A run belongs to the place where it was started.
    rmSync(recordPath(join(runs(), "trained"), "outcome.json"));
    const local = new LocalExecutor({ runsDirectory: runs(), keeper: keeperPath });
    await assert.rejects(
      runJob(request({ commit: head, executor: local, run: "trained" })),
      (x) => HarnessError.is(x, "badInput") && /with --host testhost/.test(x.message),
    );
  });

  it("leave no checkout there when the engine dies between the outcome and the removal of the checkout", async () => {
    const { executor: e, work } = executor();
    const release = work.release.bind(work);
    work.release = () => Promise.reject(new Error("the engine dies"));
    const head = commit({ "train.sh": testProjectFiles()["train.sh"] ?? "" });
    const asked = request({ commit: head, executor: e, run: "late" });
    await assert.rejects(runJob(asked), /the engine dies/);
    work.release = release;
    const { checkouts } = await work.place();
    assert.deepEqual(readdirSync(checkouts), ["late"]);
    assert.ok((await runJob(asked)).ok);
    assert.deepEqual(readdirSync(checkouts), []);
    assert.equal(git("worktree", "list").split("\n").length, 1);
  });

  it("find the files of the commit there, whatever filters the repository on the host has", async () => {
    const { work } = executor();
    const head = commit({ "data/selection.jsonl": testProjectFiles()["data/selection.jsonl"] ?? "" });
    const { repository: bare, runs: runsThere } = await work.place();
    mkdirSync(join(runsThere, "plain"), { recursive: true });
    execFileSync("git", ["--git-dir", bare, "config", "filter.easy.smudge", "sed s/s1/easy/"]);
    mkdirSync(join(bare, "info"), { recursive: true });
    writeFileSync(join(bare, "info/attributes"), "*.jsonl filter=easy\n");
    const folder = await work.checkout("plain", head);
    assert.equal(
      readFileSync(join(folder, "data/selection.jsonl"), "utf8"),
      testProjectFiles()["data/selection.jsonl"],
    );
    assert.equal(await work.changedPath("plain", head, ["data/selection.jsonl"]), undefined);
    await work.release("plain");
  });

  for (const [name, body, says] of [
    ["changes an evaluation file", 'echo \'{"id":"easy"}\' >data/selection.jsonl'],
    [
      "puts back what it changed for a while,",
      "cp -p eval/check.sh kept; echo true >eval/check.sh; cp -p kept eval/check.sh",
      /changed the evaluation file eval\/check\.sh and put it back before it ended/,
    ],
    ["adds an evaluation file to a folder", "echo x >eval/extra"],
    [
      "makes the audit split, which it did not get,",
      "test ! -e data/audit.jsonl && echo x >data/audit.jsonl",
    ],
    [
      "hides a change from git",
      "echo false >eval/check.sh; git update-index --assume-unchanged eval/check.sh",
    ],
  ] as readonly (readonly [string, string, RegExp?])[])
    it(`are disqualified when the trainer ${name} there`, async () => {
      const { executor: e } = executor();
      const head = commit({ "train.sh": testProjectFiles(body)["train.sh"] ?? "" });
      const outcome = await runJob(
        request({
          ...{ commit: head, executor: e, run: `tamper-${name.split(" ")[0] ?? ""}` },
          // A confined one could not.
          project: testProject({ confine: "off" }),
        }),
      );
      assert.equal(outcome.failure, "disqualified", outcome.message);
      assert.match(outcome.message, says ?? /changed the evaluation file [^ ]+, so/);
    });

  it("are confined there, where that can be: they see no other run, and no repository", async function () {
    const { executor: e, work } = executor();
    const can = await e.confinement();
    if (can.by === null) skipBecause(this, `this machine cannot confine jobs: ${can.reason}`);
    const place = await work.place();
    await e.submit(job("sibling", "echo hello"));
    await e.wait("sibling");
    const look = `ls '${place.repository}' '${there(place, "sibling", "")}' '${root}' >"$EVO_RUN_DIR/found" 2>/dev/null || :; echo x >'${place.runs}/more' || :`;
    const head = commit({ "train.sh": testProjectFiles(look)["train.sh"] ?? "" });
    const outcome = await runJob(
      request({ commit: head, executor: e, run: "looking", project: testProject({ confine: "require" }) }),
    );
    assert.deepEqual([outcome.failure, outcome.unconfined], [null, null], outcome.message);
    assert.equal(existsSync(there(place, "looking", "found")), true);
    assert.doesNotMatch(readFileSync(there(place, "looking", "found"), "utf8"), /HEAD|stdout\.log|train\.sh/);
    assert.ok(!existsSync(join(place.runs, "more")));
  });

  it("leave nothing here that points elsewhere, and nothing beyond the limit", async () => {
    const { executor: e, work } = executor();
    await e.submit(
      job(
        "evil",
        `mkdir "$EVO_RUN_DIR/policy"; mkfifo "$EVO_RUN_DIR/policy/pipe"; ln -s /etc/passwd "$EVO_RUN_DIR/stdout.log.1"; ${waitFor("go")}`,
      ),
    );
    const to = join(root, ".evotrainer/evil");
    const place = await work.place();
    await until("it has planted them", () => readdirSync(join(place.runs, "evil")).includes("stdout.log.1"));
    await assert.rejects(e.elsewhere.fetchPolicy("evil", to), (x) => HarnessError.is(x));
    assert.deepEqual([existsSync(to), existsSync(`${to}.partial`)], [false, false]);
    // Over the link that a host could plant beside our copy nothing is written.
    mkdirSync(join(runs(), "evil"), { recursive: true });
    symlinkSync(join(root, "outside"), join(runs(), "evil/metrics.jsonl"));
    appendFileSync(there(place, "evil", "metrics.jsonl"), "{}\n");
    await assert.rejects(e.wait("evil"), (x) => x instanceof Error && "code" in x && x.code === "ELOOP");
    assert.equal(existsSync(join(root, "outside")), false);
    rmSync(join(runs(), "evil/metrics.jsonl"));
    writeFileSync(there(place, "evil", "go"), "");
    assert.equal((await e.wait("evil")).exitCode, 0);
  });

  it("never put a secret into an argument or a log", async () => {
    const { executor: e } = executor();
    await e.submit(job("secret", waitFor("go"), { environment: { API_TOKEN: "s3cret-value" } }));
    const listed = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    assert.ok(!listed.includes("s3cret-value"));
    writeFileSync(there(await executor().work.place(), "secret", "go"), "");
    await e.wait("secret");
  });
});
