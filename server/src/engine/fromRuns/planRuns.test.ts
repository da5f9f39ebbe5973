import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { ProjectSpec } from "../../../../shared/spec/project.ts";
import { findRuns } from "./findRuns.ts";
import { planRuns, type RunsPlan } from "./planRuns.ts";
import { projectText } from "./projectText.ts";
import { verdictIn } from "./verdict.ts";

describe("a plan of what is there", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "evo-plan-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const write = (files: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  };
  const planOf = async (...paths: readonly string[]): Promise<RunsPlan> => {
    const plan = planRuns(await findRuns(paths.map((path) => join(root, path))), root);
    const text = projectText(plan);
    ProjectSpec.parse(parse(text));
    return plan;
  };
  const surfaces = (plan: RunsPlan): string[] =>
    plan.surfaces.map(
      ({ file, path, value, factor, from }) => `${file} ${path}=${String(value)} ${factor} ${from}`,
    );
  const frozen = (plan: RunsPlan): string[] => plan.frozen.map(({ path, why }) => `${path}: ${why}`);

  /** After the examples of each framework, and what is read from them. */
  const files: readonly (readonly [string, string, string, readonly string[], readonly string[]])[] = [
    [
      "TRL's flags",
      "train.sh",
      "accelerate launch --num_processes 4 grpo.py \\\n  --model_name_or_path Qwen/Qwen2.5-0.5B \\\n  --learning_rate 1e-5 --num_generations 8 \\\n  --bf16 --max_completion_length 800 --output_dir out\n",
      [
        "train.sh learning_rate=0.00001 optimisation train.sh:3",
        "train.sh num_generations=8 sampling train.sh:3",
      ],
      [
        "num_processes: hardware and parallelism",
        "model_name_or_path: it is the policy that training starts from",
        "max_completion_length: it says how much a run costs",
      ],
    ],
    [
      "prime-rl's TOML",
      "rl.toml",
      'max_steps = 100\n[trainer.model]\nname = "Qwen/Qwen3-0.6B"\n[trainer.optim]\nlr = 3e-6\n[orchestrator]\nbatch_size = 128\nrollouts_per_example = 16\n[orchestrator.sampling]\ntemperature = 0.8\n',
      [
        "rl.toml trainer.optim.lr=0.000003 optimisation rl.toml:5",
        "rl.toml orchestrator.rollouts_per_example=16 sampling rl.toml:8",
        "rl.toml orchestrator.sampling.temperature=0.8 sampling rl.toml:10",
      ],
      [
        "max_steps: it says how much a run costs",
        "trainer.model.name: it is the policy that training starts from",
        "orchestrator.batch_size: it says how much a run costs",
      ],
    ],
    [
      "ROLL's YAML",
      "rlvr.yaml",
      "pretrain: Qwen/Qwen2.5-7B\nrollout_batch_size: 64\nadv_estimator: reinforce\nnum_return_sequences_in_group: 8\nactor_train:\n  training_args:\n    learning_rate: 1.0e-6\n  strategy_args:\n    strategy_config:\n      tensor_model_parallel_size: 1\nvalidation:\n  generating_args:\n    temperature: 0.6\n",
      [
        "rlvr.yaml adv_estimator=reinforce optimisation rlvr.yaml:3",
        "rlvr.yaml num_return_sequences_in_group=8 sampling rlvr.yaml:4",
        "rlvr.yaml actor_train.training_args.learning_rate=0.000001 optimisation rlvr.yaml:7",
      ],
      [
        "pretrain: it is the policy that training starts from",
        "rollout_batch_size: it says how much a run costs",
        "actor_train.strategy_args.strategy_config.tensor_model_parallel_size: hardware and parallelism",
        "validation.generating_args.temperature: it says how versions are evaluated",
      ],
    ],
    [
      "TRL's arguments as JSON",
      "training_args.json",
      '{\n  "learning_rate": 1e-05,\n  "beta": 0.04,\n  "seed": 42\n}\n',
      [
        "training_args.json learning_rate=0.00001 optimisation training_args.json:2",
        "training_args.json beta=0.04 optimisation training_args.json:3",
      ],
      ["seed: a seed changes nothing on purpose"],
    ],
  ];
  for (const [what, file, text, expected, still] of files)
    it(`reads ${what}, with the reason and the line of each setting`, async () => {
      write({ [file]: text });
      const plan = await planOf(file);
      assert.deepEqual(surfaces(plan), expected);
      assert.deepEqual(frozen(plan), still);
    });

  const script =
    "python3 -m verl.trainer.main_ppo \\\n  algorithm.adv_estimator=grpo \\\n  actor_rollout_ref.actor.optim.lr=1e-6 \\\n  actor_rollout_ref.rollout.n=$N\n";

  it("has each run with your files as they were then, and the factor of what changed", async () => {
    write({
      "run.sh": script,
      "outputs/a/.hydra/overrides.yaml": "- actor_rollout_ref.actor.optim.lr=5e-7\n- +trainer.x=1\n",
      "outputs/b/.hydra/config.yaml":
        "actor_rollout_ref: { actor: { optim: { lr: 1.0e-6, weight_decay: 0.01 } } }\n",
      "outputs/b/rollouts/1.jsonl": "{}\n",
      "outputs/v3/rollouts/1.jsonl": "{}\n",
    });
    const plan = await planOf("run.sh", "outputs/a", "outputs/b", "outputs/v3");
    assert.deepEqual(
      plan.runs.map(({ name, changes, factor }) => ({ name, changes, factor })),
      [
        { name: "a", changes: [], factor: null },
        {
          name: "b",
          changes: [{ path: "actor_rollout_ref.actor.optim.lr", from: 5e-7, to: 1e-6 }],
          factor: "optimisation",
        },
        { name: "run-v3", changes: [], factor: null },
      ],
    );
    assert.equal(plan.runs[0]?.files["run.sh"], script.replace("1e-6", "5e-7"));
    assert.deepEqual(plan.command.words, ["bash", "run.sh"]);
    assert.ok(
      plan.unknown.includes(
        "actor_rollout_ref.rollout.n is $N (run.sh:4), which the shell fills in; write its value there, and a version can change it.",
      ),
    );
    assert.ok(plan.unknown.some((one) => one.startsWith("How v3 was started: it has no settings")));
  });

  it("copies a script that lies in a run's folder, and says what your files do not set", async () => {
    write({
      "outputs/a/run.sh": script,
      "outputs/a/.hydra/overrides.yaml": "- actor_rollout_ref.actor.entropy_coeff=0.01\n",
    });
    const plan = await planOf("outputs");
    assert.deepEqual(plan.copies, { "harness/run.sh": script });
    assert.deepEqual(plan.files, ["harness/run.sh"]);
    assert.ok(
      plan.unknown.includes(
        "a was started with actor_rollout_ref.actor.entropy_coeff, which your files do not set; its version leaves that out.",
      ),
    );
  });

  it("is refused where nothing says what may change", async () => {
    write({ "outputs/a/rollouts/1.jsonl": "{}\n", "notes.txt": "x", "x.sh": "prog a=1 b=2\n" });
    await assert.rejects(planOf("outputs"), /No launch script and no settings were found/);
    await assert.rejects(planOf("notes.txt"), /is neither a launch script nor settings nor rollouts/);
    await assert.rejects(planOf("x.sh"), /None of the settings in x\.sh is known/);
    await assert.rejects(planOf("gone"), { reason: "notFound" });
  });

  it("takes rewards for verdicts only where all of them are 0 or 1, or the rollouts say it", async () => {
    const said = async (...lines: readonly object[]): Promise<readonly [string | null, boolean]> => {
      write({ "r/rollouts/1.jsonl": lines.map((line) => `${JSON.stringify(line)}\n`).join("") });
      const { passWhen, isKnown } = await verdictIn((await findRuns([join(root, "r")])).runs);
      return [passWhen, isKnown];
    };
    assert.deepEqual(await said({ score: 0 }, { score: 1 }), ["reward >= 1.0", true]);
    assert.deepEqual(await said({ score: 0.5 }, { score: 1 }), [null, false]);
    assert.deepEqual(await said({ score: 0.5, acc: true }), [null, true]);
    assert.deepEqual(await said({ other: 1 }), [null, false]);
  });
});
