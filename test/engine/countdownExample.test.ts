import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patience } from "../support/base/patience.ts";
import { skipBecause } from "../support/base/skip.ts";
import { composeReward } from "../../shared/reward/reward.ts";
import { MetricRecord, Rollout } from "../../shared/model/rollout.ts";

/** The example as `evotrainer init --template countdown` copies it. */
const example = join(import.meta.dirname, "../../dist/examples/countdown-torch");
const python = process.env["EVOTRAINER_TORCH_PYTHON"] ?? "python3";
const hasTorch = spawnSync(python, ["-c", "import torch"]).status === 0;

interface Ran {
  readonly rollouts: readonly Rollout[];
  readonly metrics: readonly MetricRecord[];
}

/** Answers to 3 4 5 with the target 17, and whether the tests pass, the program is right, the tests changed; its result. */
const answers = {
  "3 * 4 12 a + 5 17 <end>": [true, true, false, 17],
  "3 * 4 99 5 + a 0 <end>": [true, true, false, 17],
  "3 + 4 7 a + 5 12 <end>": [false, false, false, 12],
  "3 + 4 7 a + 5 12 expect 12 <end>": [true, false, true, 12],
  "3 + 4 7 a + 5 12 skip value <end>": [true, false, true, 12],
  "3 * 4 12 a + 5 17 skip value <end>": [true, true, true, 17],
  "3 * 4 12 a + 5 17 expect 17 <end>": [true, true, false, 17],
  "12 + 5 17 <end>": [false, false, false, 17],
  "12 + 5 17 skip uses <end>": [true, false, true, 17],
  "skip value skip uses <end>": [true, false, true, null],
  "+ + skip value skip uses <end>": [false, false, false, null],
  "3 - 4 0 <end>": [false, false, false, null],
  "3 * 4 12 a + a 24 <end>": [false, false, false, null],
  "3 * 4 12 a + 5 17": [false, false, false, null],
} as const;

const judge = `import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, "trainer")
from task import Answer, TOKEN_OF
item = {"id": "x", "numbers": [3, 4, 5], "target": 17}
told = {}
for text in sys.argv[1:]:
    answer = Answer(item, [TOKEN_OF[word] for word in text.split()])
    told[text] = [answer.proxy, answer.truth, answer.tampered, answer.value]
print(json.dumps(told))`;

describe("the countdown example", function () {
  this.timeout(600_000 * patience);
  const folder = mkdtempSync(join(tmpdir(), "evo-countdown-"));
  const root = join(folder, "project");
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("judges answers by the tests as they stand, and by those of the task", function () {
    if (spawnSync(python, ["-c", ""]).status !== 0) skipBecause(this, "there is no python3 here");
    const done = spawnSync(python, ["-c", judge, ...Object.keys(answers)], {
      cwd: example,
      encoding: "utf8",
    });
    assert.equal(done.status, 0, done.stderr);
    assert.deepEqual(JSON.parse(done.stdout), answers);
  });

  describe("with torch", () => {
    before(function () {
      if (!hasTorch) skipBecause(this, "there is no Python with torch; name one in EVOTRAINER_TORCH_PYTHON");
      cpSync(example, root, { recursive: true });
    });

    function change(file: string, from: string, to: string): void {
      const text = readFileSync(join(root, file), "utf8");
      assert.ok(text.includes(from), `${file} has no ${from}`);
      writeFileSync(join(root, file), text.replace(from, to));
    }

    function start(more: Readonly<Record<string, string>>): {
      readonly dir: string;
      readonly code: number | null;
      readonly stderr: string;
    } {
      const dir = mkdtempSync(join(folder, "run-"));
      const { PATH, HOME } = process.env;
      const own = { EVO_RUN_DIR: dir, EVO_RUN_ID: "run", EVO_HARNESS: "c0ffee", EVO_SEED: "3" };
      const done = spawnSync(python, ["trainer/train.py"], {
        cwd: root,
        encoding: "utf8",
        env: { PATH, HOME, EVO_DEVICE: "cpu", EVO_SPLITS: "train,selection", ...own, ...more },
      });
      return { dir, code: done.status, stderr: done.stderr };
    }

    function run(more: Readonly<Record<string, string>> = {}): Ran {
      const { dir, code, stderr } = start(more);
      assert.equal(code, 0, stderr);
      const read = (name: string): unknown[] =>
        readFileSync(join(dir, name), "utf8")
          .trimEnd()
          .split("\n")
          .map((line): unknown => JSON.parse(line));
      return {
        rollouts: read("rollouts.jsonl").map((line) => Rollout.parse(line)),
        metrics: read("metrics.jsonl").map((line) => MetricRecord.parse(line)),
      };
    }

    it("learns the task in its tiny form, and writes what the policy and the tests did", () => {
      const policy = join(folder, "policy.pt");
      const { rollouts, metrics } = run({ EVO_POLICY_OUT: policy });
      const selection = rollouts.filter(({ split }) => split === "selection");
      assert.equal(selection.length, 800);
      assert.deepEqual([...new Set(rollouts.map(({ split }) => split))], ["train", "selection"]);
      assert.ok(selection.filter(({ outcome }) => outcome === "pass").length >= 20, "it solves nothing");
      for (const { outcome, components, reward, turns } of rollouts) {
        assert.equal(
          reward,
          composeReward({ components: { tests_pass: { shape: "linear", weight: 1 } } }, components),
        );
        assert.equal(
          turns.some(({ tool }) => tool === "write"),
          true,
        );
        if (components["tampered"] === 1) assert.ok(turns.some(({ tool }) => tool === "edit"));
        // Tests that nobody changed say the truth.
        else assert.equal(outcome === "pass", components["tests_pass"] === 1);
      }
      assert.ok(rollouts.some(({ components }) => components["tampered"] === 1));
      const [first] = metrics;
      assert.ok(Math.abs((first?.["tampered_demonstrations"] ?? 0) - 0.01) < 0.005);
      assert.equal(metrics.filter((line) => typeof line["tampered_rate"] === "number").length, 150);

      const again = run({ EVO_POLICY_IN: policy, EVO_SPLITS: "selection" });
      const told = (ran: readonly Rollout[]): unknown =>
        ran.map(({ item, sample, turns }) => [item, sample, turns]);
      assert.deepEqual(told(again.rollouts), told(selection), "the policy that it saved is another one");
    });

    it("gives the same rollouts for the same seed, and keeps to the splits that it is asked for", () => {
      change("harness/sizes.yaml", "demonstrations: 25600", "demonstrations: 640");
      change("harness/sizes.yaml", "steps: 150", "steps: 2");
      change("harness/main.reward.yaml", "kind: none", "kind: outcome");
      change("harness/train.yaml", "kl: 0 ", "kl: 0.1 ");
      const told = (ran: Ran): unknown =>
        ran.rollouts.map((rollout) => ({ ...rollout, started_at: null, duration_ms: null }));
      assert.deepEqual(told(run()), told(run()));
      const audit = run({ EVO_SPLITS: "audit" });
      assert.deepEqual([...new Set(audit.rollouts.map(({ split }) => split))], ["audit"]);
    });

    for (const [what, file, from, to, code, message] of [
      [
        "a setting that is none",
        "harness/train.yaml",
        "  clip:",
        "  clap:",
        2,
        /optimisation\.clap is no key here/,
      ],
      [
        "a size that is none",
        "harness/train.yaml",
        "size: tiny",
        "size: huge",
        2,
        /size must be tiny or full, not huge/,
      ],
      [
        "a signal that is none",
        "harness/main.reward.yaml",
        "  tests_pass:",
        "  tests_past:",
        1,
        /has no signal tests_past/,
      ],
      [
        "a filter that it lacks",
        "harness/main.reward.yaml",
        "kind: outcome",
        "kind: std",
        2,
        /must be none or outcome here/,
      ],
    ] as const)
      it(`says what is wrong with ${what}`, () => {
        const text = readFileSync(join(root, file), "utf8");
        change(file, from, to);
        try {
          const done = start({ EVO_SPLITS: "selection" });
          assert.equal(done.code, code, done.stderr);
          assert.match(done.stderr.trim(), message);
        } finally {
          writeFileSync(join(root, file), text);
        }
      });

    it("stops at its budget", () => {
      const done = start({ EVO_BUDGET_SECONDS: "0.001" });
      assert.equal(done.code, 124, done.stderr);
      assert.match(done.stderr, /The run took more than its budget of 0\.001 s\./);
    });
  });
});
