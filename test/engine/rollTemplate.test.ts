import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patience } from "../support/base/patience.ts";
import { skipBecause } from "../support/base/skip.ts";
import { MetricRecord, Rollout } from "../../shared/model/rollout.ts";
import { evotrainer, lineageOf } from "./cli.ts";
import { measurePolicy } from "./startTrainer.ts";

const standIns = join(import.meta.dirname, "standIns/forRoll");

const linesOf = (file: string): unknown[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));

describe("the ROLL template, with a stand-in for ROLL", function () {
  this.timeout(180_000 * patience);
  const folder = mkdtempSync(join(tmpdir(), "evo-roll-"));
  const root = join(folder, "project");
  const runs = join(root, ".evotrainer/runs");
  after(() => rmSync(folder, { recursive: true, force: true }));
  before(function () {
    if (spawnSync("python3", ["-c", "import yaml"]).status !== 0)
      skipBecause(this, "there is no python3 with yaml");
    assert.equal(evotrainer(folder, "init", "project", "--template", "roll").code, 0);
    const replace = (file: string, from: string, to: string): void => {
      const text = readFileSync(join(root, file), "utf8");
      assert.ok(text.includes(from), `${file} has no ${from}`);
      writeFileSync(join(root, file), text.replace(from, to));
    };
    replace(
      "evotrainer.yaml",
      "  start: base",
      `  start: base\n  environment: { PYTHONPATH: "${standIns}" }`,
    );
    replace("harness/roll.yaml", "max_steps: 100", "max_steps: 3");
    const git = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
    execFileSync("git", [...git, "commit", "--all", "--quiet", "--message", "smaller"], { cwd: root });
    assert.equal(evotrainer(root, "check").code, 0);
    const ran = evotrainer(root, "evolve", "--generations", "1", "--autonomy", "full", "--approve");
    assert.equal(ran.code, 0, ran.stderr);
  });

  it("evolves", () => {
    const { versions } = lineageOf(root);
    assert.deepEqual(
      versions.map((v) => v.failure),
      versions.map(() => null),
    );
    // Nothing but what a job that did not train measured again, in one line for each run of lines.
    const setAside = evotrainer(root, "jobs", "--quarantine").stdout.trim().split("\n");
    for (const line of setAside) assert.match(line, /^\S+:\d+-\d+: measured again by the job /);
    assert.ok(setAside.length <= 12, `${setAside.length} lines`);
    const [base, trained] = versions;
    assert.ok((trained?.score ?? 0) > (base?.score ?? 1) + 0.1, JSON.stringify(versions.slice(0, 2)));
  });

  it("writes evidence of training and of the trained policy, and metrics", () => {
    const run = join(runs, "v1.train.s1");
    const rollouts = linesOf(join(run, "rollouts.jsonl")).map((line) => Rollout.parse(line));
    const steps = (split: string): number[] => [
      ...new Set(rollouts.filter((rollout) => rollout.split === split).map(({ step }) => step)),
    ];
    assert.deepEqual([steps("train"), steps("selection")], [[1, 2, 3], [3]]);
    assert.equal(rollouts.length, 3 * 32 * 8 + 40 * 4);
    for (const { item, split, outcome, components, reward, turns } of rollouts) {
      assert.ok(item.startsWith(split));
      assert.deepEqual([reward, outcome === "pass"], [components["correctness"], reward === 1]);
      assert.deepEqual(
        turns.map(({ role }) => role),
        ["system", "user", "assistant"],
      );
    }
    const metrics = linesOf(join(run, "metrics.jsonl")).map((line) => MetricRecord.parse(line));
    assert.deepEqual(
      metrics.map(({ step }) => step),
      [0, 1, 2, 3],
    );
    assert.equal(metrics.at(-1)?.["actor/entropy"], 1);
  });

  it("starts ROLL from the given policy, with its seed, and leaves the trained policy", () => {
    const settings = (run: string, phase: string): { pretrain: string; seed: number } =>
      JSON.parse(readFileSync(join(runs, run, "roll", `${phase}.json`), "utf8")) as {
        pretrain: string;
        seed: number;
      };
    const policy = join(runs, "v1.train.s1/policy");
    assert.deepEqual(readdirSync(policy), ["config.json"]);
    assert.deepEqual(readdirSync(join(runs, "v0.selection.s1/policy")), ["model.json"]);
    const { pretrain, seed } = settings("v1.train.s1", "training");
    assert.deepEqual([pretrain, seed], ["Qwen/Qwen2.5-0.5B-Instruct", 1]);
    // No version is promoted here, so that no job measures the trained policy.
    measurePolicy(root, { policy, run: "by-hand" });
    assert.equal(settings("by-hand", "evaluation").pretrain, policy);
  });
});
