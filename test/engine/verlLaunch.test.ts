import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skipBecause } from "../support/base/skip.ts";
import { fixtureSet } from "../support/evidence/import.ts";
import { MetricRecord, Rollout } from "../../shared/model/rollout.ts";
import {
  strippedCompletion,
  strippedPrompt,
} from "../../server/src/evidence/adapters/chat/strippedMarkup.ts";

const examples = join(import.meta.dirname, "../../examples");
const standIn = join(import.meta.dirname, "standIns/forVerlLaunch");
const script = `python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=base actor_rollout_ref.actor.kl_loss_coef=0.001 \\
  actor_rollout_ref.rollout.n=2 actor_rollout_ref.rollout.val_kwargs.n=2 data.seed=9 "$@"
`;
const item = (id: string, n: number): string =>
  `${JSON.stringify({ id, prompt: [{ role: "user", content: `What is ${n} + ${n}?` }], reward_model: { ground_truth: String(2 * n) } })}\n`;

describe("verl_launch.py, with a stand-in for verl", () => {
  let root = "";
  beforeEach(function () {
    if (spawnSync("python3", ["--version"]).status !== 0) skipBecause(this, "there is no python3");
    root = mkdtempSync(join(tmpdir(), "evo verl launch "));
    for (const folder of ["trainer", "data", "out"]) mkdirSync(join(root, folder));
    for (const file of ["verl/launch/verl_launch.py", "writers/evidence_writer.py"])
      cpSync(join(examples, file), join(root, "trainer", file.split("/").at(-1) ?? ""));
    writeFileSync(join(root, "run.sh"), script);
    writeFileSync(join(root, "data/train.jsonl"), item("train-0", 1) + item("train-1", 11));
    writeFileSync(join(root, "data/selection.jsonl"), item("val-0", 111) + item("val-1", 2));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const run = (environment: NodeJS.ProcessEnv, ...more: string[]) =>
    spawnSync("python3", ["trainer/verl_launch.py", "run.sh", ...more], {
      cwd: root,
      encoding: "utf8",
      env: {
        ...process.env,
        ...{
          PYTHONPATH: standIn,
          PYTHONDONTWRITEBYTECODE: "1",
          EVO_RUN_DIR: join(root, "out"),
          EVO_RUN_ID: "v1.s1",
        },
        ...environment,
      },
    });
  const linesOf = (path: string): unknown[] =>
    readFileSync(join(root, path), "utf8")
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));

  it("trains, finds the item of each prompt, and leaves the policy", () => {
    const ran = run(
      { EVO_SPLITS: "train,selection", EVO_SEED: "3", EVO_POLICY_OUT: join(root, "policy") },
      "--pass-score",
      "1",
    );
    assert.equal(ran.status, 0, ran.stderr);
    const rollouts = linesOf("out/rollouts.jsonl").map((line) => Rollout.parse(line));
    const of = (split: string) => rollouts.filter((one) => one.split === split);
    assert.deepEqual([of("train").length, of("selection").length], [2 * 8 * 2, 2 * 2]);
    for (const { item: id, turns, outcome, reward, split } of rollouts) {
      assert.match(id, split === "train" ? /^train-[01]$/ : /^val-[01]$/);
      // 1 + 1 stands in 11 + 11 as well: the longest fits.
      const n = { "train-0": 1, "train-1": 11, "val-0": 111, "val-1": 2 }[id] ?? 0;
      assert.equal(turns[0]?.text, `What is ${n} + ${n}?`);
      assert.equal(outcome, reward === 1 ? "pass" : "fail");
    }
    assert.equal(linesOf("out/metrics.jsonl").map((line) => MetricRecord.parse(line)).length, 3);
    assert.match(readFileSync(join(root, "policy/config.json"), "utf8"), /^\{"skill": /);
  });

  it("only evaluates what it was given to evaluate, and knows no outcome if nobody says which score counts as solved", () => {
    const ran = run({ EVO_SPLITS: "selection", EVO_POLICY_OUT: join(root, "policy") });
    assert.equal(ran.status, 0, ran.stderr);
    const rollouts = linesOf("out/rollouts.jsonl").map((line) => Rollout.parse(line));
    assert.deepEqual(
      [...new Set(rollouts.map(({ split, outcome }) => `${split} ${outcome}`))],
      ["selection unknown"],
    );
    assert.deepEqual(JSON.parse(readFileSync(join(root, "policy/model.json"), "utf8")), { model: null });
  });

  it("says what is wrong: a script that takes no settings, verl that is not there, prompts of no item", () => {
    writeFileSync(join(root, "run.sh"), script.replace(' "$@"', ""));
    assert.match(
      run({ EVO_SPLITS: "train" }).stderr,
      /run\.sh takes no further settings: write "\$@" at the end/,
    );
    writeFileSync(join(root, "run.sh"), script);
    const missing = run({ EVO_SPLITS: "train", PYTHONPATH: "" });
    assert.notEqual(missing.status, 0);
    assert.match(missing.stderr, /If verl is not on this machine, .*evotrainer attach/);
    const row = { input: "user\nWho are you?\nassistant\n", output: "x", score: 0, step: 1 };
    writeFileSync(
      join(root, "run.sh"),
      `: "$@"; mkdir -p out/verl/rollouts; echo '${JSON.stringify(row).replaceAll("\\n", "\\\\n").replaceAll("\\\\", "\\")}' > out/verl/rollouts/1.jsonl\n`,
    );
    assert.match(
      run({ EVO_SPLITS: "train" }).stderr,
      /1 rollout is of no item in data\/\*\.jsonl; .*Who are you\?/,
    );
  });

  it("cuts real dumps into the same turns as import does", function () {
    const folder = fixtureSet(this, "rl_verl_rollout_dump");
    const program = `import json, sys\nsys.path.insert(0, "trainer")\nimport verl_launch\nfor line in open(sys.argv[1], encoding="utf-8"):\n    r = json.loads(line)\n    print(json.dumps(verl_launch.turns_of(r["input"], r["output"])))`;
    for (const name of ["1_8601a960.jsonl", "hecate_rollouts_2.jsonl"]) {
      const path = join(folder, name);
      const ours = spawnSync("python3", ["-c", program, path], {
        cwd: root,
        encoding: "utf8",
        maxBuffer: 1e9,
      });
      assert.equal(ours.status, 0, ours.stderr);
      const told = readFileSync(path, "utf8").trimEnd().split("\n");
      const turns = ours.stdout
        .trimEnd()
        .split("\n")
        .map((line): unknown => JSON.parse(line));
      assert.equal(turns.length, told.length);
      for (const [i, line] of told.entries()) {
        const { input, output } = JSON.parse(line) as { input: string; output: string };
        assert.deepEqual(
          turns[i],
          [...strippedPrompt(input), ...strippedCompletion(output)],
          `${name}:${i + 1}`,
        );
      }
    }
  });
});
