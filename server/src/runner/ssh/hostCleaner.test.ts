import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { openRepository } from "../../lineage/repository.ts";
import { hostPrograms } from "../../../../test/support/runner/jobs.ts";
import { waitFor } from "../../../../test/support/runner/project.ts";
import { HostCleaner, type HostItem } from "./hostCleaner.ts";
import { HostShell } from "./hostShell.ts";
import { HostWork, type HostPlace } from "./hostWork.ts";
import { SshExecutor } from "./sshExecutor.ts";
import { hostProblem, startTestHost, type TestHost } from "../../../../test/support/ssh/host.ts";

describe("a project's files on a host", function () {
  this.timeout(60_000);
  let started: TestHost | undefined;
  let host: TestHost;
  let root = "";
  let shell: HostShell;
  let work: HostWork;
  let place: HostPlace;
  let cleaner: HostCleaner;
  let executor: SshExecutor;
  const key = "0123456789abcdef0123456789abcdef";
  before(async function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
    started = host = await startTestHost();
    root = realpathSync(mkdtempSync(join(tmpdir(), "evo clean ")));
    execFileSync("git", ["init", "--quiet", root]);
    execFileSync("git", [
      ...["-C", root, "-c", "user.name=t", "-c", "user.email=t@example.invalid"],
      ...["commit", "--quiet", "--allow-empty", "--message", "c"],
    ]);
    shell = new HostShell(host.route());
    work = new HostWork(shell, await openRepository(root), hostPrograms);
    place = await work.place();
    cleaner = new HostCleaner(shell, work);
    executor = new SshExecutor({ shell, work, runsDirectory: join(root, "runs"), pollMilliseconds: 50 });
  });
  after(async () => {
    if (started === undefined) return;
    shell.close();
    rmSync(root, { recursive: true, force: true });
    await started.stop();
  });
  const start = (id: string, script: string, environment: Record<string, string> = {}): Promise<void> =>
    executor.submit({
      id,
      command: ["sh", "-c", script],
      cwd: host.home,
      environment,
      budgetSeconds: 120,
      graceSeconds: 1,
    });

  it("are removed, except files that a job uses, folders of others, and files behind links", async () => {
    const outside = join(host.home, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "precious"), "x");
    await start("over", "echo {} >$EVO_RUN_DIR/rollouts.jsonl");
    await executor.wait("over");
    const policy = join(place.policies, key);
    mkdirSync(policy);
    writeFileSync(join(policy, "policy"), "1");
    const unused = key.replace("0", "f");
    mkdirSync(join(place.policies, unused));
    await start("busy", waitFor("go"), { EVO_POLICY_IN: join(policy, "policy") });
    for (const name of ["over", "busy"]) mkdirSync(join(place.checkouts, name));
    // What is behind a link belongs to somebody else, whatever the link is called.
    for (const folder of [place.runs, place.checkouts]) symlinkSync(outside, join(folder, "linked"));
    symlinkSync(outside, join(place.policies, key.replace("0", "e")));
    symlinkSync(outside, join(place.runs, "over/deep"));
    mkdirSync(join(place.runs, "not an id"));
    // Nor is what somebody else has put beside it, under a name that none of ours has.
    mkdirSync(join(place.policies, "notes"));
    mkdirSync(join(place.checkouts, "_theirs"));
    const holdings = await cleaner.look();
    assert.deepEqual(
      holdings.runs.map((r) => [r.name, r.isOver, r.files.get("rollouts.jsonl")?.size]),
      [
        ["busy", false, undefined],
        ["over", true, 3],
      ],
    );
    assert.deepEqual(
      [holdings.checkouts, holdings.policies].map((items) => items.map(({ name }) => name)),
      [
        ["busy", "over"],
        [key, unused],
      ],
    );
    assert.deepEqual([...holdings.policiesInUse], [key]);
    const gone: string[] = [];
    for (const item of [...holdings.runs, ...holdings.checkouts, ...holdings.policies])
      if (await cleaner.remove(item)) gone.push(`${item.kind} ${item.name}`);
    assert.deepEqual(gone, ["run over", "checkout over", `policy ${unused}`]);
    for (const [kind, name] of [
      ["run", "linked"],
      ["checkout", "linked"],
      ["policy", key.replace("0", "e")],
      ["run", "../checkouts"],
      ["run", ".."],
    ] as const) {
      const item: HostItem = { kind, name, bytes: 0, ageSeconds: 0 };
      assert.equal(await cleaner.remove(item), false, name);
    }
    assert.deepEqual(readdirSync(outside), ["precious"]);
    assert.deepEqual(readdirSync(place.runs).sort(), ["busy", "linked", "not an id"]);
    writeFileSync(join(place.runs, "busy/go"), "");
    assert.equal((await executor.wait("busy")).exitCode, 0);
    assert.equal(await cleaner.remove({ kind: "policy", name: key, bytes: 0, ageSeconds: 0 }), true);
  });

  it("are never looked for in a folder that replaced ours", async () => {
    await start("later", ":");
    await executor.wait("later");
    const moved = join(host.home, "moved");
    renameSync(place.runs, moved);
    symlinkSync(moved, place.runs);
    assert.equal(await cleaner.remove({ kind: "run", name: "later", bytes: 0, ageSeconds: 0 }), false);
    assert.ok(existsSync(join(moved, "later/exit")));
    rmSync(place.runs);
    renameSync(moved, place.runs);
  });

  it("stay within their quota, or the user is asked what to do", async () => {
    const narrow = new HostShell(host.route({ quota: 0.001 }));
    try {
      const limited = new SshExecutor({
        shell: narrow,
        work: new HostWork(narrow, await openRepository(root), hostPrograms),
        runsDirectory: join(root, "runs"),
      });
      writeFileSync(join(place.policies, "filler"), Buffer.alloc(2_000_000, "x"));
      const commit = execFileSync("git", ["-C", root, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();
      const sent = async (run: string): Promise<void> => limited.elsewhere.send(run, commit, { data: [] });
      await assert.rejects(
        sent("refused"),
        (e) => HarnessError.is(e, "diskFull") && /evotrainer host clean testhost/.test(e.message),
      );
      assert.equal(existsSync(join(place.checkouts, "refused")), false);
      // A run that is there already is no new one.
      await sent("later");
      rmSync(join(place.policies, "filler"));
      await sent("refused");
      assert.ok(existsSync(join(place.checkouts, "refused")));
    } finally {
      narrow.close();
    }
  });
});
