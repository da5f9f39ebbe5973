import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skipBecause } from "../support/base/skip.ts";
import { MetricRecord, Rollout } from "../../shared/model/rollout.ts";
import { evotrainer, lineageOf } from "./cli.ts";
import { measurePolicy } from "./startTrainer.ts";

const fixtures = process.env["EVOTRAINER_FIXTURES"] ?? join(import.meta.dirname, "../../../shared/fixtures");
const standIns = join(import.meta.dirname, "standIns/forVerl");

const linesOf = (file: string): unknown[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));

describe("the verl template, with a stand-in for verl", function () {
  this.timeout(180_000);
  const folder = mkdtempSync(join(tmpdir(), "evo-verl-"));
  const root = join(folder, "project");
  const state = join(root, ".evotrainer/runs");
  after(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], { cwd: root });
  const dump = (run: string, place: string): unknown[] => linesOf(join(state, run, "verl", place));
  before(function () {
    if (spawnSync("python3", ["-c", "import yaml"]).status !== 0)
      skipBecause(this, "there is no python3 with yaml");
    assert.equal(evotrainer(folder, "init", "project", "--template", "verl").code, 0);
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
    replace("harness/verl.yaml", "total_training_steps: 100", "total_training_steps: 4");
    git("commit", "--all", "--quiet", "--message", "smaller");
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
    assert.ok(versions.length >= 3);
    const [base, trained] = versions;
    assert.ok((trained?.score ?? 0) > (base?.score ?? 1) + 0.1, JSON.stringify(versions.slice(0, 2)));
  });

  it("turns each line that verl dumps into evidence, with its item, split and signals", () => {
    const run = "v1.train.s1";
    const rollouts = linesOf(join(state, run, "rollouts.jsonl")).map((line) => Rollout.parse(line));
    const count = (split: string): number => rollouts.filter((rollout) => rollout.split === split).length;
    assert.deepEqual([count("train"), count("selection")], [4 * 32 * 8, 40 * 4]);
    for (const { item, split, outcome, components, reward, turns } of rollouts) {
      assert.ok(item.startsWith(split));
      assert.equal(reward, components["correctness"]);
      assert.equal(outcome, reward === 1 ? "pass" : "fail");
      assert.deepEqual(
        turns.map(({ role }) => role),
        ["system", "user", "assistant"],
      );
    }
    const metrics = linesOf(join(state, run, "metrics.jsonl")).map((line) => MetricRecord.parse(line));
    assert.ok(metrics.some((metric) => metric["actor/entropy"] === 0.25));
  });

  it("starts verl from the given policy, with its seed, and only evaluates when there is nothing to train", () => {
    const started = (run: string): unknown =>
      JSON.parse(readFileSync(join(state, run, "verl/started.json"), "utf8"));
    const model = "Qwen/Qwen2.5-0.5B-Instruct";
    assert.deepEqual(started("v0.selection.s1"), { model, seed: 1, val_only: true });
    assert.deepEqual(started("v1.train.s1"), { model, seed: 1, val_only: false });
    const policy = join(state, "v1.train.s1/policy");
    assert.deepEqual(readdirSync(policy), ["config.json"]);
    // No version is promoted here, so that no job measures the trained policy.
    measurePolicy(root, { policy, run: "by-hand" });
    assert.deepEqual(started("by-hand"), { model: policy, seed: 1, val_only: true });
  });

  it("is tested with files in the form that verl writes", function () {
    const real = join(fixtures, "rl_verl_rollout_dump/1_8601a960.jsonl");
    let keys: string[];
    try {
      keys = Object.keys(linesOf(real)[0] ?? {});
    } catch {
      return skipBecause(this, "there are no fixtures");
    }
    const [ours] = dump("v1.train.s1", "rollouts/1.jsonl");
    for (const key of keys) assert.ok(Object.keys(ours ?? {}).includes(key), key);
    const elsewhere = join(folder, "import");
    cpSync(join(state, "v1.train.s1/verl/rollouts"), join(elsewhere, "rollouts"), { recursive: true });
    const ran = evotrainer(elsewhere, "import", "rollouts");
    assert.match(ran.stdout, /verl rollout dump/, ran.stderr);
  });
});
