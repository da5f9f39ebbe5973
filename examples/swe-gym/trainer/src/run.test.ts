import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { composeReward } from "../../../../shared/reward/reward.ts";
import { MetricRecord, Rollout } from "../../../../shared/model/rollout.ts";
import { readHarness } from "../../../gym/src/harness.ts";
import { repair } from "./domain.ts";

const template = fileURLToPath(new URL("../../template/", import.meta.url));

function readLines(file: string): unknown[] {
  const text = readFileSync(file, "utf8");
  assert.ok(text.endsWith("\n"));
  return text
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}

/** What must not differ between two runs of one seed: everything but wall-clock times. */
function withoutTimes(rollouts: readonly Rollout[]): unknown[] {
  return rollouts.map((r) => ({ ...r, started_at: "", duration_ms: 0 }));
}

describe("the bundled trainer", function () {
  this.timeout(120_000);
  const folder = mkdtempSync(path.join(tmpdir(), "swe-gym-"));
  const trainer = path.join(folder, "trainer.mjs");

  before(async () => {
    const entryPoints = [fileURLToPath(new URL("main.ts", import.meta.url))];
    await build({
      entryPoints,
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: trainer,
      logLevel: "error",
    });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** A copy of the template, with shorter training and fewer items. */
  const project = (name: string): string => {
    const root = path.join(folder, name);
    cpSync(template, root, { recursive: true });
    change(root, "harness/train.yaml", "steps: 80", "steps: 2");
    change(root, "harness/train.yaml", "prompts: 24", "prompts: 3");
    change(root, "harness/train.yaml", "demonstrations: 3000", "demonstrations: 60");
    for (const split of ["train", "selection", "audit"]) {
      const file = path.join(root, "data", `${split}.jsonl`);
      writeFileSync(file, readFileSync(file, "utf8").split("\n").slice(0, 8).join("\n") + "\n");
    }
    return root;
  };
  const change = (root: string, file: string, from: string, to: string): void => {
    const full = path.join(root, file);
    const text = readFileSync(full, "utf8");
    assert.ok(text.includes(from), `${file} has no ${from}`);
    writeFileSync(full, text.replace(from, to));
  };
  const run = (
    root: string,
    env: Readonly<Record<string, string>>,
  ): { code: number | null; stderr: string } => {
    const base = { PATH: process.env["PATH"], EVO_RUN_ID: "run-1", EVO_HARNESS: "c0ffee", EVO_SEED: "3" };
    const done = spawnSync(process.execPath, [trainer], {
      cwd: root,
      env: { ...base, ...env },
      encoding: "utf8",
    });
    return { code: done.status, stderr: done.stderr };
  };
  const rolloutsOf = (dir: string): Rollout[] =>
    readLines(path.join(dir, "rollouts.jsonl")).map((l) => Rollout.parse(l));

  it("makes a base policy, trains from it and writes evidence that keeps the contract", () => {
    const root = project("train");
    const base = path.join(folder, "base.bin");
    const baseRun = path.join(folder, "run-base");
    assert.deepEqual(run(root, { EVO_RUN_DIR: baseRun, EVO_SPLITS: "selection", EVO_POLICY_OUT: base }), {
      code: 0,
      stderr: "",
    });
    assert.equal(rolloutsOf(baseRun).length, 32);
    assert.ok(rolloutsOf(baseRun).every((r) => r.split === "selection" && r.step === 0));

    const trained = path.join(folder, "trained.bin");
    const trainRun = path.join(folder, "run-train");
    const env = {
      EVO_RUN_DIR: trainRun,
      EVO_SPLITS: "train,selection",
      EVO_POLICY_IN: base,
      EVO_POLICY_OUT: trained,
    };
    assert.deepEqual(run(root, env), { code: 0, stderr: "" });
    const rollouts = rolloutsOf(trainRun);
    assert.equal(rollouts.filter((r) => r.split === "train").length, 24);
    assert.equal(rollouts.filter((r) => r.split === "selection").length, 32);
    assert.equal(new Set(rollouts.map((r) => r.id)).size, rollouts.length);
    const { reward } = readHarness(root, repair);
    for (const r of rollouts) {
      assert.equal(r.reward, composeReward(reward, r.components));
      assert.deepEqual([r.run, r.harness, r.seed], ["run-1", "c0ffee", 3]);
      assert.equal(r.outcome === "pass", r.stop_reason === "success");
    }
    const metrics = readLines(path.join(trainRun, "metrics.jsonl")).map((l) => MetricRecord.parse(l));
    const step = metrics.find((m) => m.step === 1);
    for (const name of "reward reward_std solve_rate dead_group_ratio kept_group_ratio entropy kl policy_loss clip_fraction turns_mean grad_norm step_ms steps_total".split(
      " ",
    ))
      assert.equal(typeof step?.[name], "number", name);
    assert.equal(step?.["steps_total"], 2);
    assert.ok(existsSync(trained));
    assert.ok(!readFileSync(base).equals(readFileSync(trained)));

    const again = path.join(folder, "run-again");
    const trainedAgain = path.join(folder, "again.bin");
    run(root, { ...env, EVO_RUN_DIR: again, EVO_POLICY_OUT: trainedAgain });
    assert.deepEqual(withoutTimes(rolloutsOf(again)), withoutTimes(rollouts));
    assert.ok(readFileSync(trained).equals(readFileSync(trainedAgain)));

    const other = path.join(folder, "run-other");
    run(root, { ...env, EVO_RUN_DIR: other, EVO_SEED: "4" });
    assert.notDeepEqual(
      rolloutsOf(other).map((r) => r.turns),
      rollouts.map((r) => r.turns),
    );

    const audit = path.join(folder, "run-audit");
    assert.equal(run(root, { EVO_RUN_DIR: audit, EVO_SPLITS: "audit", EVO_POLICY_IN: trained }).code, 0);
    assert.ok(rolloutsOf(audit).every((r) => r.split === "audit"));
  });

  it("shows the history only when the harness lets it", () => {
    const seen = (name: string): boolean => {
      const root = project(name);
      if (name === "visible") change(root, "harness/environment.yaml", "history: hidden", "history: visible");
      const dir = path.join(folder, `run-${name}`);
      change(root, "harness/evaluation.yaml", "temperature: 0.5", "temperature: 2");
      run(root, { EVO_RUN_DIR: dir, EVO_SPLITS: "selection" });
      const calls = rolloutsOf(dir).flatMap((r) => r.turns.filter((t) => t.tool === "history"));
      assert.ok(calls.length > 0);
      return calls.every((t) => t.ok === true);
    };
    assert.equal(seen("hidden"), false);
    assert.equal(seen("visible"), true);
  });

  const fails = (
    name: string,
    setUp: (root: string) => Record<string, string>,
    code: number,
    message: RegExp,
  ): void =>
    void it(name, () => {
      const root = project(`bad-${name.replaceAll(" ", "-")}`);
      const extra = setUp(root);
      const result = run(root, { EVO_RUN_DIR: path.join(root, "run"), EVO_SPLITS: "selection", ...extra });
      assert.equal(result.code, code, result.stderr);
      assert.match(result.stderr, message);
      assert.equal(result.stderr.trim().split("\n").length, 1);
    });

  fails(
    "an unknown reward shape is refused",
    (root) => (change(root, "harness/main.reward.yaml", "shape: flat", "shape: steep"), {}),
    2,
    /^harness\/main\.reward\.yaml: components\.correctness\.shape: /,
  );
  fails(
    "an unknown key is refused",
    (root) => (change(root, "harness/environment.yaml", "turnLimit: 12", "turnLimit: 12\nspeed: 3"), {}),
    2,
    /^harness\/environment\.yaml: speed: /,
  );
  fails(
    "a reward that reads what only a backtest knows is refused",
    (root) => (
      change(
        root,
        "harness/main.reward.yaml",
        "efficiency: # 1 / number of turns\n    shape: linear\n    weight: 0",
        "efficiency:\n    signal: rollout.n_turns\n    shape: linear\n    weight: -0.1",
      ),
      {}
    ),
    2,
    /^harness\/main\.reward\.yaml: components\.efficiency: rollout\.n_turns is known to backtests only/,
  );
  fails(
    "broken YAML is refused",
    (root) => (change(root, "harness/train.yaml", "steps: 2", "steps: [2"), {}),
    2,
    /^harness\/train\.yaml is not valid YAML: /,
  );
  fails(
    "a missing harness file is refused",
    (root) => (rmSync(path.join(root, "harness/curriculum.yaml")), {}),
    2,
    /^harness\/curriculum\.yaml cannot be read/,
  );
  fails(
    "a broken item is refused",
    (root) => (writeFileSync(path.join(root, "data/selection.jsonl"), "{}\n"), {}),
    1,
    /^data\/selection\.jsonl:1 is not an item/,
  );
  fails("an unknown split is refused", () => ({ EVO_SPLITS: "test" }), 1, /^EVO_SPLITS names test/);
  fails(
    "a policy of another shape is refused",
    (root) => ({ EVO_POLICY_IN: path.join(root, "README.md") }),
    1,
    /is not a policy of this trainer/,
  );
  fails(
    "a run past its budget stops",
    () => ({ EVO_BUDGET_SECONDS: "0.001" }),
    124,
    /more than its budget of 0\.001 s/,
  );
});
