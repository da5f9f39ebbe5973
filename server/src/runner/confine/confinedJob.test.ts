import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { addCheckout, checkoutDirectory, removeCheckout } from "../../lineage/checkouts/checkout.ts";
import { openRepository, statePath, type Repository } from "../../lineage/repository.ts";
import { trustFolder } from "../../lineage/trust/userFolder.ts";
import { createVersion } from "../../lineage/versions.ts";
import { LocalExecutor } from "../local.ts";
import { shellWord } from "../../base/shellWord.ts";
import { runJob, type RunRequest } from "../runVersion.ts";
import { makeTestRepository, type TestRepository } from "../../../../test/support/lineage/repository.ts";
import { patience } from "../../../../test/support/base/patience.ts";
import { needsConfinement } from "../../../../test/support/runner/confined.ts";
import { keeperPath, processesOf, until } from "../../../../test/support/runner/jobs.ts";
import { testProject, testProjectFiles, trainerScript } from "../../../../test/support/runner/project.ts";

const sealed = "only the audit may know this";

const folderAtHome = (name: string): string => {
  const folder = join(homedir(), name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
};

describe("a confined job", function () {
  this.timeout(120_000);
  let made: TestRepository;
  let repository: Repository;
  let executor: LocalExecutor;
  const folders: string[] = [];
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
    await needsConfinement(this, executor);
  });
  afterEach(async () => {
    try {
      await until("no process is left", () => processesOf(made.root).length === 0, 10);
      assert.ok(!existsSync(join(made.root, ".evotrainer/runs.scratch/v1-seed1")));
    } finally {
      for (const { pid } of processesOf(made.root)) process.kill(pid, "SIGKILL");
      made.dispose();
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    }
  });

  let versions = 0;
  const trained = async (body: string, more: Partial<RunRequest> = {}) => {
    const { commit } = await createVersion(repository, {
      domain: "swe",
      name: `v1-${++versions}`,
      parent: made.commit(),
      edits: [{ path: "train.sh", content: trainerScript(body) }],
      message: "v1",
      at: new Date(0),
    });
    return runJob({
      repository,
      commit,
      project: testProject({ confine: "require" }),
      version: "v1",
      seed: 1,
      splits: ["train", "selection"],
      budgetSeconds: 60 * patience,
      graceSeconds: 1,
      executor,
      ...more,
    });
  };
  const wrote = (name: string): string => readFileSync(join(executor.directoryOf("v1-seed1"), name), "utf8");
  const folder = (): string => {
    const one = mkdtempSync(join(tmpdir(), "evo-elsewhere-"));
    folders.push(one);
    return one;
  };
  /** Runs shell lines, each of which has to fail; gives the outcome. */
  const refused = async (tries: Readonly<Record<string, string>>, more: Partial<RunRequest> = {}) => {
    const lines = Object.entries(tries).map(
      ([what, line]) =>
        `if (${line}) >>"$EVO_RUN_DIR/found" 2>&1; then echo ${shellWord(what)} >>"$EVO_RUN_DIR/done"; fi`,
    );
    const outcome = await trained(`: >"$EVO_RUN_DIR/done"\n${lines.join("\n")}`, more);
    assert.equal(outcome.failure, null, outcome.message);
    assert.equal(outcome.unconfined, null);
    assert.equal(wrote("done"), "");
    assert.ok(!wrote("found").includes(sealed), wrote("found"));
  };

  it("reads no item of the audit split, by whatever way it tries", async () => {
    const other = join(folder(), "other");
    made.git("worktree", "add", "--quiet", "--detach", other);
    folders.push(other);
    const audit = checkoutDirectory(repository, "v0.audit.s1");
    await addCheckout(repository, made.commit(), audit);
    const read = (path: string) => `grep "only the audi[t]" ${path}`;
    const process = globalThis.process.pid;
    try {
      await refused({
        "its own checkout": read("-r ."),
        "the work tree": read(`-r '${made.root}'`),
        "another work tree": read(`-r '${other}'`),
        "the checkout of another job": read(`-r '${audit}'`),
        "the checkout beside its own": read('-r "$PWD/.."'),
        "git in the checkout": "git show HEAD:data/audit.jsonl",
        "git with the repository named": `git --git-dir='${made.root}/.git' show HEAD:data/audit.jsonl`,
        "objects of git": `[ -n "$(find '${made.root}/.git' -type f)" ]`,
        "the engine's root": read(`-r '/proc/${process}/root${made.root}/data'`),
        "the engine's folder": read(`-r '/proc/${process}/cwd'`),
        "any process's root": `for p in /proc/[0-9]*; do grep "only the audi[t]" "$p/root${made.root}/data/audit.jsonl" && exit 0; done; exit 1`,
        "its own keeper": 'ls "/proc/$PPID/root/proc/1/root"',
        "what was there before the masks": `umount '${made.root}' || umount -l '${made.root}'`,
        "a mount of its own": `unshare -r -m sh -c "umount '${made.root}'"`,
      });
    } finally {
      await removeCheckout(repository, audit);
      made.git("worktree", "remove", "--force", other);
    }
  });

  it("changes nothing of other runs, of the records, of git or of the user's files", async () => {
    const sibling = executor.directoryOf("v0.train.s1");
    mkdirSync(sibling, { recursive: true });
    writeFileSync(join(sibling, "rollouts.jsonl"), "");
    const records = statePath(repository, "records/runs/v0.train.s1");
    mkdirSync(records, { recursive: true });
    const kept = folder();
    await refused({
      "adds to a run that is open": `echo '{}' >>'${sibling}/rollouts.jsonl'`,
      "reads another run": `ls '${sibling}'`,
      "makes a run": 'mkdir "$EVO_RUN_DIR/../v9.train.s1"',
      "writes a record": `echo '{}' >'${records}/outcome.json'`,
      "writes into the archive's folder": `: >'${made.root}/.evotrainer/archive.duckdb'`,
      "moves a branch": `echo x >'${made.root}/.git/refs/heads/main'`,
      "changes how git runs": `echo x >>'${made.root}/.git/config'`,
      "changes where its checkout belongs": "rm -f .git || echo gitdir: /tmp >.git",
      "changes the work tree": `echo x >>'${made.root}/evotrainer.yaml'`,
      "changes a file elsewhere": `echo x >'${kept}/file'`,
      "changes the machine": "echo x >/etc/evotrainer-test",
      "changes the evaluation": "echo x >>data/selection.jsonl",
      "adds to the evaluation": "echo x >eval/more",
      "takes the evaluation away": "rm -rf eval",
    });
    assert.equal(readFileSync(join(sibling, "rollouts.jsonl"), "utf8"), "");
    assert.ok(!existsSync(join(kept, "file")));
  });

  it("sees no process of others, nor how it was started", async () => {
    const other = spawn("sleep", ["98765.4321"], { stdio: "ignore" });
    try {
      await refused({
        "reads how another program was started": `grep -q "98765[.]4321" /proc/[0-9]*/cmdline`,
      });
    } finally {
      other.kill();
    }
  });

  it("does not get at the engine's key, at keys of the user, or at the owner of the archive", async () => {
    mkdirSync(trustFolder(), { recursive: true });
    writeFileSync(join(trustFolder(), "probe"), sealed);
    const logins = [".codex", ".password-store"].map((name) =>
      mkdtempSync(join(folderAtHome(name), "probe-")),
    );
    for (const login of logins) writeFileSync(join(login, "token"), sealed);
    const sockets = join(tmpdir(), `evotrainer-${process.getuid?.() ?? 0}`);
    mkdirSync(sockets, { recursive: true, mode: 0o700 });
    const socket = join(sockets, "test-confined.sock");
    let asked = 0;
    const server = createServer((connection) => {
      asked++;
      connection.destroy();
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    writeFileSync(statePath(repository, "owner.json"), JSON.stringify({ token: sealed }));
    const connect = `"${process.execPath}" -e 'require("net").connect(process.argv[1]).on("connect", () => process.exit(0)).on("error", () => process.exit(1))' '${socket}'`;
    try {
      await refused({
        "reads the key": `cat '${trustFolder()}/probe'`,
        "reads the token of the owner": `cat '${made.root}/.evotrainer/owner.json'`,
        "asks the owner": connect,
        "reads logins": logins.map((login) => `cat '${login}/token'`).join(" || "),
        "reads keys of ssh": `ls ~/.ssh/* || ls ${homedir()}/.ssh/*`,
        "asks the user's session": "[ -e /run/user ] || [ -S /run/dbus/system_bus_socket ]",
        "stops the engine": `kill -TERM ${process.pid}`,
      });
      assert.equal(asked, 0);
    } finally {
      server.close();
      rmSync(join(trustFolder(), "probe"));
      for (const login of logins) rmSync(login, { recursive: true });
    }
  });

  it("writes where trainers do: its folder, its checkout, temporary files and the home folder; only the first is kept", async () => {
    const mine = `evotrainer-confined-${process.pid}`;
    const outcome = await trained(
      `echo a >out.txt; mkdir -p checkpoints; echo b >checkpoints/1; echo c >/tmp/${mine}; echo d >"$HOME/${mine}"; echo e >/dev/shm/${mine}
cat out.txt checkpoints/1 /tmp/${mine} "$HOME/${mine}" /dev/shm/${mine} >"$EVO_RUN_DIR/all"; echo "$(id -u) $(pwd -P)" >"$EVO_RUN_DIR/who"`,
    );
    assert.equal(outcome.failure, null, outcome.message);
    assert.equal(wrote("all"), "a\nb\nc\nd\ne\n");
    assert.equal(wrote("who"), `${process.getuid?.() ?? 0} ${checkoutDirectory(repository, "v1-seed1")}\n`);
    for (const path of ["/tmp", homedir(), "/dev/shm"]) assert.ok(!existsSync(join(path, mine)), path);
  });

  it("writes to the folders that trainer.writable names, and reads the policy that it starts from", async () => {
    const cache = folder();
    const policyIn = statePath(repository, "runs/v0.train.s1/policy");
    mkdirSync(policyIn, { recursive: true });
    writeFileSync(join(policyIn, "policy"), "the parent's");
    const outcome = await trained(
      `echo kept >'${cache}/model'; cat "$EVO_POLICY_IN/policy" >"$EVO_RUN_DIR/in"; if echo x >"$EVO_POLICY_IN/policy"; then exit 9; fi`,
      { policyIn, project: testProject({ confine: "require", writable: [cache] }) },
    );
    assert.equal(outcome.failure, null, outcome.message);
    assert.equal(readFileSync(join(cache, "model"), "utf8"), "kept\n");
    assert.equal(wrote("in"), "the parent's");
  });

  it("starts from no policy that leads elsewhere", async () => {
    const policyIn = statePath(repository, "runs/v0.train.s1/policy");
    mkdirSync(policyIn, { recursive: true });
    symlinkSync(join(made.root, "data"), join(policyIn, "weights"));
    await assert.rejects(trained("", { policyIn }), /holds a link to .*\/data, which is no part of it/);
  });

  it("is cancelled with everything that it started, after one TERM", async () => {
    const cancel = new AbortController();
    const body = `trap 'echo term >>"$EVO_RUN_DIR/terms"' TERM
(trap '' TERM; setsid sleep 300) & env -i setsid sleep 301 & (while :; do sleep 1; done) &
: >"$EVO_RUN_DIR/ready"; while :; do sleep 0.1; done`;
    const running = trained(body, { signal: cancel.signal, graceSeconds: 2 });
    await until("it runs", () => existsSync(join(executor.directoryOf("v1-seed1"), "ready")));
    cancel.abort();
    const outcome = await running;
    assert.equal(outcome.failure, "harness_abort", outcome.message);
    assert.equal(wrote("terms"), "term\n");
  });

  it("ends with its exit code or its signal, and is stopped when its budget is used up", async () => {
    const outcome = await trained("exec sleep 300", { budgetSeconds: 2 });
    assert.equal(outcome.failure, "train_budget_overrun", outcome.message);
    assert.ok(outcome.seconds < 20, String(outcome.seconds));
    const code = await trained("exit 7", { run: "coded" });
    assert.match(code.message, /exited with 7/);
    const signal = await trained("kill -SEGV $$", { run: "signalled" });
    assert.match(signal.message, /SIGSEGV/);
  });

  it("is not started where it has to be confined and cannot be, and says that it was not where it need not be", async () => {
    const programs = folder();
    const { PATH = "" } = process.env;
    for (const place of PATH.split(":").filter((one) => existsSync(one)))
      for (const name of readdirSync(place))
        if (!["unshare", "bwrap"].includes(name) && !existsSync(join(programs, name)))
          symlinkSync(join(place, name), join(programs, name));
    process.env["PATH"] = programs;
    try {
      const cannot = {
        executor: new LocalExecutor({ runsDirectory: statePath(repository, "runs"), keeper: keeperPath }),
      };
      await assert.rejects(
        trained("", cannot),
        /trainer\.confine in evotrainer\.yaml is require and this machine cannot confine jobs: unshare of util-linux is missing/,
      );
      const outcome = await trained("", { ...cannot, project: testProject() });
      assert.equal(outcome.failure, null, outcome.message);
      assert.match(outcome.unconfined ?? "", /unshare of util-linux is missing/);
    } finally {
      process.env["PATH"] = PATH;
    }
  });
});
