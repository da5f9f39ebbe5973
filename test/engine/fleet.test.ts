import assert from "node:assert/strict";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { skipBecause } from "../support/base/skip.ts";
import { hostProblem, startTestHost, type TestHost } from "../support/ssh/host.ts";
import { until } from "../support/runner/jobs.ts";
import { comparable, evotrainer, lineageOf, runEvotrainer, startEvotrainer, stateOf } from "./cli.ts";
import { recordPath } from "../../server/src/runner/job/jobRecords.ts";
import { makeToyProject, toyFiles, toyHarness } from "./toyProject.ts";

interface Spent {
  host: string;
  jobs: number;
  running: number;
  hours: number;
  cost: { amount: number; currency: string } | null;
}

describe("evolve on several hosts", function () {
  this.timeout(480_000);
  const made: string[] = [];
  const hosts = new Map<string, TestHost>();
  before(async function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
    for (const name of ["one", "two"]) hosts.set(name, await startTestHost());
    const folder = mkdtempSync(join(tmpdir(), "evo-fleet-"));
    made.push(folder);
    const configuration = [...hosts].map(([name, { root }]) =>
      readFileSync(join(root, "ssh_config"), "utf8").replace("Host testhost", `Host ${name}`),
    );
    writeFileSync(join(folder, "ssh_config"), configuration.join("\n"));
    const program = join(folder, "ssh");
    writeFileSync(program, `#!/bin/sh\nexec ssh -F ${folder}/ssh_config "$@"\n`);
    chmodSync(program, 0o700);
    process.env["EVOTRAINER_SSH"] = program;
  });
  afterEach(() => {
    // What one project left on the hosts is not the next one's.
    for (const { home } of hosts.values())
      rmSync(join(home, ".evotrainer/work"), { recursive: true, force: true });
  });
  after(async () => {
    delete process.env["EVOTRAINER_SSH"];
    for (const root of made) rmSync(root, { recursive: true, force: true });
    for (const host of hosts.values()) await host.stop();
  });

  const environment = `environment: { PATH: "${dirname(process.execPath)}:/usr/bin:/bin" }`;
  function project(trainerHosts: string, { more = "", variants = 1 } = {}): string {
    const text = (toyFiles["evotrainer.yaml"] ?? "")
      .replace("budgetSeconds: 60", `budgetSeconds: 60, seeds: [1, 2]${trainerHosts}`)
      .replace(
        "variantsPerGeneration: 3, parallelJobs: 2",
        `variantsPerGeneration: ${variants}, parallelJobs: 1`,
      );
    const root = makeToyProject({
      "evotrainer.yaml": `${text}hosts:
  one: { jobs: 1, price: { perHour: 36, currency: EUR }, ${environment}${more} }
  two: { jobs: 1, ${environment} }
`,
      "harness/toy.yaml": toyHarness({ step_ms: 150 }),
    });
    made.push(root);
    return root;
  }
  /** Where each run is, from what lies there. */
  function places(root: string): Map<string, string[]> {
    const found = new Map<string, string[]>();
    const add = (name: string, runs: string): void => {
      for (const run of existsSync(runs) ? readdirSync(runs) : [])
        if (existsSync(join(runs, run, "job"))) found.set(run, [...(found.get(run) ?? []), name]);
    };
    add("here", join(root, ".evotrainer/runs"));
    for (const [name, { home }] of hosts) {
      const work = join(home, ".evotrainer/work");
      for (const folder of existsSync(work) ? readdirSync(work) : []) add(name, join(work, folder, "runs"));
    }
    return found;
  }
  const spentOf = (root: string): Spent[] =>
    JSON.parse(evotrainer(root, "--json", "jobs", "--spent").stdout) as Spent[];

  it("gives the same lineage as on this machine, even if a host dies in the middle", async () => {
    const local = project("", { variants: 3 });
    const ran = evotrainer(local, "evolve", "--generations", "1");
    assert.equal(ran.code, 0, ran.stderr);
    for (const where of places(local).values()) assert.deepEqual(where, ["here"]);

    const root = project(", hosts: [one, two, here]", { variants: 3 });
    const child = startEvotrainer(root, "evolve", "--generations", "1");
    const over = once(child, "exit");
    const dies = hosts.get("one") ?? assert.fail();
    const onOne = (): string[] =>
      [...places(root)].filter(([, where]) => where.includes("one")).map(([run]) => run);
    await until(
      "one has a job of the generation",
      () =>
        child.exitCode !== null ||
        (stateOf(root) === "evolve/train" && onOne().some((run) => /^v[2-9]/.test(run))),
      240,
    );
    assert.equal(child.exitCode, null);
    // Nobody is told, and what was connected is cut: the power is off.
    dies.proxy.freeze();
    dies.proxy.reset();
    // The other machines go on with the rest meanwhile.
    const isOver = (run: string): boolean =>
      existsSync(recordPath(join(root, ".evotrainer/runs", run), "outcome.json"));
    const lost = onOne().filter((run) => !isOver(run));
    await until(
      "the others are over",
      () => {
        const own = [...places(root).keys()].filter((run) => /^v[2-9].*train/.test(run));
        return own.length === 3 && own.every((run) => isOver(run) || lost.includes(run));
      },
      180,
    );
    dies.proxy.thaw();
    dies.proxy.reset();
    assert.deepEqual(await over, [0, null]);
    assert.deepEqual(comparable(lineageOf(root)), comparable(lineageOf(local)));

    const all = places(root);
    for (const [run, where] of all) assert.equal(where.length, 1, `${run} is in one place`);
    assert.deepEqual([...all.keys()].sort(), [...places(local).keys()].sort());
    assert.deepEqual([...new Set([...all.values()].flat())].sort(), ["here", "one", "two"]);

    const spent = spentOf(root);
    assert.deepEqual(
      spent.map(({ host, jobs, running }) => [host, jobs, running]),
      ["here", "one", "two"].map((name) => [
        name,
        [...all.values()].flat().filter((at) => at === name).length,
        0,
      ]),
    );
    const one = spent.find(({ host }) => host === "one");
    assert.equal(one?.cost?.currency, "EUR");
    assert.ok(Math.abs(one.cost.amount - one.hours * 36) < 1e-9 && one.hours > 0);
    assert.match(evotrainer(root, "jobs").stdout, /EUR/);
  });

  it("ends when no budget has room, and continues elsewhere", async () => {
    const root = project(", hosts: [one]", { more: ", budget: { hours: 0.0168 }" });
    const wrong = evotrainer(root, "evolve", "--host", "two,three");
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /no host "three"; there are one, two/);
    const refused = await runEvotrainer(root, "evolve", "--generations", "1");
    assert.equal(refused.code, 1, refused.stderr);
    assert.match(
      refused.stderr,
      /does not fit into any budget: one has used or reserved 0\.\d\d of 0\.0168 h/,
    );
    const ran = await runEvotrainer(root, "evolve", "--generations", "1", "--host", "one,here");
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual([...new Set([...places(root).values()].flat())].sort(), ["here", "one"]);
    assert.deepEqual(places(root).get("v0.selection.s1"), ["one"]);
  });
});
