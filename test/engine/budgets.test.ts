import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { evolutionStatus } from "../../server/src/engine/evolution/status.ts";
import { evotrainer, lineageOf, startEvotrainer, type Ran } from "./cli.ts";
import { makeToyProject, toyFiles, toyHarness } from "./toyProject.ts";

const spec = (budgets: string): string =>
  (toyFiles["evotrainer.yaml"] ?? "").replace(
    "generations: 2, variantsPerGeneration: 3",
    `generations: 1, variantsPerGeneration: 2${budgets === "" ? "" : `, ${budgets}`}`,
  );
const Report = z.object({
  since: z.string().nullable(),
  currency: z.string().nullable(),
  from: z.number(),
  budgets: z.array(
    z.object({
      name: z.string(),
      limit: z.number().nullable(),
      spent: z.number(),
      left: z.number().nullable(),
      next: z.number(),
    }),
  ),
});

describe("the budgets of an evolution", function () {
  this.timeout(600_000);
  const made: string[] = [];
  const project = (budgets: string, changes: Parameters<typeof makeToyProject>[0] = {}): string => {
    const root = makeToyProject({ "evotrainer.yaml": spec(budgets), ...changes });
    made.push(root);
    return root;
  };
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });
  const raise = (root: string, from: string, to: string): void => {
    const file = join(root, "evotrainer.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
    execFileSync(
      "git",
      ["-c", "user.name=t", "-c", "user.email=t@e", "commit", "--quiet", "--all", "-m", "raise"],
      {
        cwd: root,
      },
    );
  };
  const budget = (root: string, name: string) => {
    const ran = evotrainer(root, "--json", "budget");
    assert.equal(ran.code, 0, ran.stderr);
    const found = Report.parse(JSON.parse(ran.stdout)).budgets.find((b) => b.name === name);
    assert.ok(found);
    return found;
  };
  const trained = (root: string): string[] =>
    lineageOf(root).versions.flatMap((v) => (v.score === null ? [] : [v.name]));
  const stops = (ran: Ran, says: RegExp): void => {
    assert.equal(ran.code, 3, ran.stderr);
    assert.match(ran.stderr, says);
    assert.match(
      ran.stderr,
      /Raise `budgets\.\w+` in evotrainer\.yaml, commit, and run `evotrainer evolve` to continue/,
    );
  };

  it("stop it cleanly, say what is left undone, and let it go on from there when they are raised", async () => {
    const root = project("versions: 2");
    stops(evotrainer(root, "evolve"), /The budget of 2 versions is spent .* Generation 1 of 1 was not begun/);
    assert.deepEqual(trained(root), ["v0", "v1"]);
    const { state, message } = await evolutionStatus(root);
    assert.equal(state, "blocked");
    assert.match(message, /budget of 2 versions/);
    stops(evotrainer(root, "evolve"), /The budget of 2 versions is spent/);

    raise(root, "versions: 2", "versions: 3");
    const ran = evotrainer(root, "evolve");
    stops(ran, /The budget of 3 versions is spent .* v3-\w+ was not trained/);
    assert.match(ran.stderr, /Generation 1 will take about 2 versions of the 1 version left/);
    assert.deepEqual(budget(root, "versions"), { name: "versions", limit: 3, spent: 3, left: 0, next: 1 });

    raise(root, "versions: 3", "versions: 4");
    const last = evotrainer(root, "evolve");
    assert.equal(last.code, 0, last.stderr);
    assert.equal(trained(root).length, 4);
    assert.equal(
      lineageOf(root).versions.filter(({ promoted }) => promoted).length,
      1,
      "an audit is no version",
    );
    const runs = readdirSync(join(root, ".evotrainer/runs"));
    assert.equal(
      new Set(runs.map((run) => run.replace(/\.r\d+$/, ""))).size,
      runs.length,
      "nothing ran twice",
    );
  });

  for (const [limit, name] of [
    ["gpuHours: 0", "0 GPU hours"],
    ["money: 0", "0 of money"],
    ["wallClockHours: 0", "0 hours"],
    ["versions: 0", "0 versions"],
  ] as const)
    it(`refuse at once if ${limit} is all there is`, () => {
      const root = project(limit);
      stops(evotrainer(root, "evolve"), new RegExp(`The budget of ${name} is spent`));
      assert.equal(existsSync(join(root, ".evotrainer/runs/v0.selection.s1")), false);
      assert.deepEqual(lineageOf(root).versions, []);
    });

  it("count what a job cost once, although the engine was killed while it ran", async () => {
    const hold = join(mkdtempSync(join(tmpdir(), "evo-hold-")), "hold");
    made.push(join(hold, ".."));
    writeFileSync(hold, "");
    const root = project("money: 100000, gpuHours: 100", {
      "evotrainer.yaml": `${spec("money: 100000, gpuHours: 100").replace("variantsPerGeneration: 2", "variantsPerGeneration: 1")}hosts: { here: { ssh: localhost, gpus: 2, price: { perHour: 3600, perGpuHour: 3600, currency: EUR } } }\n`,
      "harness/toy.yaml": `${toyHarness({ step_ms: 5 })}hold: ${hold}\n`,
    });
    const evolve = startEvotrainer(root, "evolve");
    const over = once(evolve, "exit");
    while (!existsSync(join(root, ".evotrainer/runs/v1.train.s1/metrics.jsonl"))) {
      assert.equal(evolve.exitCode, null);
      await delay(20);
    }
    evolve.kill("SIGKILL");
    await over;
    assert.ok(budget(root, "versions").spent === 2, "what has begun is counted");
    rmSync(hold);
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
    const seconds = lineageOf(root).versions.map((v) => v.trial?.seconds ?? 0);
    const audited = budget(root, "money").spent / 3;
    assert.ok(audited >= seconds.reduce((sum, s) => sum + s, 0) - 1e-6);
    const attempts = readdirSync(join(root, ".evotrainer/runs")).filter((run) => run.startsWith("v1.train"));
    assert.deepEqual(attempts.sort(), ["v1.train.s1", "v1.train.s2"]);
    assert.ok(budget(root, "gpuHours").spent > 0);
    assert.match(evotrainer(root, "budget").stdout, /money +100000 EUR/);
  });
});
