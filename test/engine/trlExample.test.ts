import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patience } from "../support/base/patience.ts";
import { skipBecause } from "../support/base/skip.ts";
import { composeReward } from "../../shared/reward/reward.ts";
import { MetricRecord, Rollout } from "../../shared/model/rollout.ts";
import { evotrainer, lineageOf } from "./cli.ts";

const python = process.env["EVOTRAINER_TRL_PYTHON"] ?? "python3";
const has = (program: string, code: string): boolean => spawnSync(program, ["-c", code]).status === 0;

const linesOf = (file: string): unknown[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));

describe("the TRL example", function () {
  this.timeout(600_000 * patience);
  const folder = mkdtempSync(join(tmpdir(), "evo-trl-"));
  const root = join(folder, "project");
  after(() => rmSync(folder, { recursive: true, force: true }));
  before(() => {
    const made = evotrainer(folder, "init", "project", "--template", "trl");
    assert.equal(made.code, 0, made.stderr);
    assert.equal(evotrainer(root, "check").stdout, "No problem in any spec.\n");
  });

  describe("in an unsuitable Python", () => {
    before(function () {
      if (!has("python3", "")) skipBecause(this, "there is no python3 here");
    });
    const says = (code: string): string =>
      spawnSync("python3", ["-c", code], { cwd: root, encoding: "utf8" }).stderr;

    it("says which version it needs", () => {
      const old = "import sys, runpy; sys.version_info = (3, 8, 2)";
      assert.match(
        says(`${old}; runpy.run_path("trainer/train.py", run_name="__main__")`),
        /^TRL needs Python 3\.10 or newer, and this is Python 3\.8\.2 \(.*\)\. trainer\.command of evotrainer\.yaml/,
      );
    });

    it("says what is missing", () => {
      const without = `import sys, runpy, importlib.util as u; found = u.find_spec
sys.version_info = (3, 12, 1)
u.find_spec = lambda name, *a: None if name == "trl" else object()
runpy.run_path("trainer/train.py", run_name="__main__")`;
      assert.match(
        says(without),
        /^\S+ has no trl: run `\S+ -m pip install trl torch transformers`\. trainer\.command/,
      );
    });
  });

  describe("with TRL", () => {
    before(function () {
      if (!has(python, "import trl"))
        skipBecause(this, "there is no Python with trl; name one in EVOTRAINER_TRL_PYTHON");
      const replace = (file: string, from: string, to: string): void => {
        const text = readFileSync(join(root, file), "utf8");
        assert.ok(text.includes(from), `${file} has no ${from}`);
        writeFileSync(join(root, file), text.replace(from, to));
      };
      replace("evotrainer.yaml", "[python3,", `["${python}",`);
      replace("evotrainer.yaml", "variantsPerGeneration: 2", "variantsPerGeneration: 1");
      replace("harness/grpo.yaml", "max_steps: 60", "max_steps: 6");
      for (const file of ["harness/evaluation.yaml", "evotrainer.yaml"])
        replace(file, "samples: 4", "samples: 1");
      replace("harness/warmup.yaml", "demonstrations: 12800", "demonstrations: 1280");
      const git = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
      execFileSync("git", [...git, "commit", "--all", "--quiet", "--message", "smaller"], { cwd: root });
    });

    function run(name: string): { rollouts: Rollout[]; metrics: MetricRecord[] } {
      const directory = join(folder, name);
      mkdirSync(directory);
      const done = spawnSync(python, ["trainer/train.py"], {
        cwd: root,
        encoding: "utf8",
        env: {
          PATH: process.env["PATH"],
          HOME: directory,
          HF_HUB_OFFLINE: "1",
          EVO_RUN_DIR: directory,
          EVO_RUN_ID: "run",
          EVO_HARNESS: "c0ffee",
          EVO_SEED: "3",
          EVO_SPLITS: "train,selection",
          EVO_POLICY_OUT: join(directory, "policy"),
        },
      });
      assert.equal(done.status, 0, done.stderr.slice(-3000));
      assert.ok(readdirSync(join(directory, "policy")).includes("config.json"));
      return {
        rollouts: linesOf(join(directory, "rollouts.jsonl")).map((line) => Rollout.parse(line)),
        metrics: linesOf(join(directory, "metrics.jsonl")).map((line) => MetricRecord.parse(line)),
      };
    }

    it("writes the same evidence for the same seed, with the reward that a backtest computes", () => {
      const [first, second] = [run("first"), run("second")];
      const told = ({ rollouts }: { rollouts: Rollout[] }): unknown =>
        rollouts.map((rollout) => ({ ...rollout, extra: {} }));
      assert.deepEqual(told(first), told(second));
      const count = (split: string): number =>
        first.rollouts.filter((rollout) => rollout.split === split).length;
      assert.deepEqual([count("train"), count("selection")], [6 * 64, 80]);
      const components = {
        correctness: { shape: "binary", weight: 1 },
        format: { shape: "linear", weight: 0.1 },
      } as const;
      for (const { reward, components: signals, outcome } of first.rollouts) {
        assert.ok(Math.abs((reward ?? NaN) - composeReward({ components }, signals)) < 1e-9);
        assert.equal(outcome, signals["correctness"] === 1 ? "pass" : "fail");
      }
      const last = first.metrics.at(-1) ?? assert.fail("no metrics");
      for (const name of ["loss", "reward", "entropy", "completions/mean_length"])
        assert.equal(typeof first.metrics.at(-2)?.[name], "number", name);
      assert.equal(last.step, 6);
    });

    it("says in one sentence what is wrong with its settings", () => {
      const file = join(root, "harness/grpo.yaml");
      const text = readFileSync(file, "utf8");
      writeFileSync(file, `${text}learning_rat: 1\n`);
      try {
        assert.throws(() => run("wrong"), /harness\/grpo\.yaml: learning_rat is no setting of this release/);
      } finally {
        writeFileSync(file, text);
      }
    });

    it("evolves", () => {
      const ran = evotrainer(root, "evolve", "--generations", "1", "--approve");
      assert.equal(ran.code, 0, ran.stderr);
      const { versions } = lineageOf(root);
      assert.deepEqual(
        versions.map((version) => version.failure),
        [null, null, null],
      );
      assert.match(evotrainer(root, "rollouts", "v1").stdout, /selection-\d+/);
    });
  });
});
