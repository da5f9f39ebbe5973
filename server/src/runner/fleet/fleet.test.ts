import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HostBudget, HostSpec } from "../../../../shared/spec/host.ts";
import { HarnessError } from "../../base/errors.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { openRepository, statePath, type Repository } from "../../lineage/repository.ts";
import { makeTestRepository, type TestRepository } from "../../../../test/support/lineage/repository.ts";
import { readOutcome } from "../job/outcome.ts";
import { ownerOf } from "../job/runPlace.ts";
import { LocalExecutor } from "../local.ts";
import { HostShell } from "../ssh/hostShell.ts";
import { HostWork } from "../ssh/hostWork.ts";
import { SshExecutor } from "../ssh/sshExecutor.ts";
import { hostPrograms, keeperPath, processesOf, until } from "../../../../test/support/runner/jobs.ts";
import { testProject, testProjectFiles, waitFor } from "../../../../test/support/runner/project.ts";
import { Fleet, type FleetJob } from "./fleet.ts";
import type { FleetHost } from "./member.ts";

describe("a fleet", function () {
  this.timeout(60_000);
  let made: TestRepository;
  let repository: Repository;
  let runsDirectory: string;
  const shells: HostShell[] = [];
  const fleets: Fleet[] = [];
  const notes: string[] = [];
  const home = process.env["HOME"];
  before(function () {
    if (process.platform !== "linux") skipBecause(this, "the keeper reads /proc, which only Linux has");
  });
  beforeEach(async () => {
    // A job goes on when the test says so.
    made = makeTestRepository(testProjectFiles(waitFor("go")));
    repository = await openRepository(made.root);
    runsDirectory = statePath(repository, "runs");
    process.env["HOME"] = join(made.root, ".evotrainer/home");
    mkdirSync(process.env["HOME"], { recursive: true });
    notes.length = 0;
  });
  afterEach(async () => {
    process.env["HOME"] = home;
    for (const fleet of fleets.splice(0)) fleet.close();
    for (const shell of shells.splice(0)) shell.close();
    try {
      await until("no process is left", () => processesOf(made.root).length === 0, 10);
    } finally {
      for (const { pid } of processesOf(made.root)) process.kill(pid, "SIGKILL");
      made.dispose();
    }
  });

  /** A host that is a folder of this machine; `ssh` is the client that would reach another one. */
  function host(name: string, more: Partial<FleetHost> = {}, ssh?: string): FleetHost {
    const spec = HostSpec.parse({ local: ssh === undefined, directory: folderOf(name) });
    const shell = new HostShell({
      name,
      spec,
      patienceSeconds: 1,
      ...(ssh === undefined ? {} : { program: ssh }),
    });
    shells.push(shell);
    const work = new HostWork(shell, repository, hostPrograms);
    const executor = new SshExecutor({ shell, work, runsDirectory, pollMilliseconds: 30 });
    return { host: name, name, slots: 1, gpus: 0, inOneGo: false, executor, ...more };
  }
  const folderOf = (name: string): string => join(made.root, ".evotrainer", name);
  function fleetOf(...hosts: FleetHost[]): Fleet {
    const fleet = new Fleet({
      hosts,
      ownerHost: (name) => Promise.resolve(host(name ?? "here")),
      books: () => Promise.resolve({ runs: [], since: 0 }),
      runsDirectory,
      note: (message) => notes.push(message),
      retryMilliseconds: [50],
    });
    fleets.push(fleet);
    return fleet;
  }
  const job = (run: string, more: Partial<FleetJob> = {}): FleetJob => ({
    run,
    repository,
    commit: made.git("rev-parse", "HEAD"),
    project: testProject(),
    version: "v1",
    seed: 1,
    splits: ["train", "selection"],
    budgetSeconds: 60,
    graceSeconds: 1,
    ...more,
  });
  /** The folder of a run where it runs, if it does. */
  async function folderIfBegun(run: string): Promise<string | undefined> {
    const owner = await ownerOf(join(runsDirectory, run));
    if (typeof owner !== "string") return undefined;
    const isFolder = statSync(folderOf(owner), { throwIfNoEntry: false })?.isDirectory() === true;
    const projects = isFolder ? readdirSync(folderOf(owner)) : [];
    return projects
      .map((project) => join(folderOf(owner), project, "runs", run))
      .find((folder) => existsSync(join(folder, "starts")));
  }
  const begun = (run: string): Promise<string> => until(`${run} begins`, () => folderIfBegun(run));
  const go = (folder: string): void => writeFileSync(join(folder, "go"), "");
  const once = (folder: string): void =>
    assert.equal(readFileSync(join(folder, "starts"), "utf8"), "started\n");

  it("gives each job one place as places become free, and skips machines that are unavailable", async () => {
    writeFileSync(folderOf("full"), "no folder can be made here");
    const fleet = fleetOf(host("gone", {}, "false"), host("full"), host("a"), host("b"));
    const placed: string[] = [];
    const jobs = [1, 2, 3, 4].map((n) =>
      job(`v1.train.s${n}`, { seed: n, onPlaced: (name) => placed.push(`${n} ${name}`) }),
    );
    const running = fleet.runAll(jobs);
    const folders = async (): Promise<string[]> =>
      (await Promise.all(jobs.map(({ run }) => folderIfBegun(run)))).filter((f) => f !== undefined);
    // Only two can be had, with a place each: the others wait for it.
    const first = await until("two begin", async () => {
      const all = await folders();
      return all.length >= 2 && all;
    });
    assert.equal(first.length, 2);
    first.forEach(go);
    const all = await until("the others begin", async () => {
      const now = await folders();
      return now.length === 4 && now;
    });
    all.forEach(go);
    all.forEach(once);
    const outcomes = await Promise.all(running);
    assert.deepEqual(
      outcomes.map(({ ok, run }) => [ok, run]),
      jobs.map(({ run }) => [true, run]),
    );
    assert.ok(placed.every((text) => !text.endsWith("gone")));
    assert.ok(
      notes.some((note) => /The host gone cannot be reached/.test(note)),
      notes.join("\n"),
    );
  });

  it("continues a job where it runs, even if the fleet has changed", async () => {
    const stop = new AbortController();
    const [first] = fleetOf(host("a")).runAll([job("v1.train.s1", { detach: stop.signal })]);
    const folder = await begun("v1.train.s1");
    stop.abort();
    await assert.rejects(first ?? assert.fail(), (e) => HarnessError.is(e, "cancelled"));
    const [second, third] = fleetOf(host("b")).runAll([job("v1.train.s1"), job("v1.train.s2")]);
    const other = await begun("v1.train.s2");
    assert.ok(other.includes("/b/"));
    go(folder);
    go(other);
    assert.deepEqual([(await second)?.ok, (await third)?.ok], [true, true]);
    once(folder);
    assert.ok(!existsSync(join(folder.replace("/a/", "/b/"), "job")));
  });

  it("reports at once that the only machine cannot be reached, and that no budget has room", async () => {
    const [lost] = fleetOf(host("gone", {}, "false")).runAll([job("v1.train.s1")]);
    await assert.rejects(lost ?? assert.fail(), (e) => HarnessError.is(e, "hostUnreachable"));
    assert.equal(await ownerOf(join(runsDirectory, "v1.train.s1")), undefined);
    const budget = HostBudget.parse({ hours: 0.01 });
    const [dear] = fleetOf(host("a", { budget })).runAll([job("v1.train.s1")]);
    await assert.rejects(
      dear ?? assert.fail(),
      (e) => HarnessError.is(e, "jobFailed") && /a has used or reserved 0\.00 of 0\.01 h/.test(e.message),
    );
  });

  it("gives the place of a job that is over to the next one before its run is closed", async () => {
    const executor = new LocalExecutor({ runsDirectory, keeper: keeperPath, pollMilliseconds: 20 });
    const fleet = fleetOf({ host: null, name: "here", slots: 1, gpus: 0, inOneGo: false, executor });
    const [first, second] = fleet.runAll([job("v1.train.s1"), job("v1.train.s2", { seed: 2 })]);
    const started = (run: string): boolean => existsSync(join(runsDirectory, run, "starts"));
    await until("the first job begins", () => started("v1.train.s1"));
    assert.ok(!existsSync(join(runsDirectory, "v1.train.s2")));
    // While somebody else writes to the ledger, no run can be closed.
    const lock = join(repository.commonDir, "refs/heads/evotrainer/ledger.lock");
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, "");
    go(join(runsDirectory, "v1.train.s1"));
    await until("the second job begins", () => started("v1.train.s2"));
    assert.equal(await readOutcome(join(runsDirectory, "v1.train.s1")), undefined);
    rmSync(lock);
    assert.equal((await first)?.ok, true);
    go(join(runsDirectory, "v1.train.s2"));
    assert.equal((await second)?.ok, true);
  });

  it("lets go of a job that waits for a place", async () => {
    const stop = new AbortController();
    const [first, second] = fleetOf(host("a")).runAll([
      job("v1.train.s1"),
      job("v1.train.s2", { signal: stop.signal }),
    ]);
    const folder = await begun("v1.train.s1");
    stop.abort();
    await assert.rejects(second ?? assert.fail(), (e) => HarnessError.is(e, "cancelled"));
    go(folder);
    assert.equal((await first)?.ok, true);
    assert.ok(!existsSync(join(runsDirectory, "v1.train.s2")));
  });
});
