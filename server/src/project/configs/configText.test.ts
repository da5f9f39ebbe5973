import assert from "node:assert/strict";
import type { Scalar } from "../../../../shared/spec/common.ts";
import { configFramework, configScalars, configTree, configValue, editConfig } from "./configText.ts";
import { launchWords, untoldSettings } from "./launchScript.ts";

/** After the examples of verl's grpo_trainer. */
const script = `set -x
export CUDA_VISIBLE_DEVICES=0,1
data=$HOME/data/gsm8k
clip_high=0.28 # asymmetric
n=8
python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    data.train_files="['$data/train.parquet']" \\
    data.val_files=$data/test.parquet \\
    actor_rollout_ref.actor.optim.lr=1e-6 \\
    actor_rollout_ref.actor.use_kl_loss=True \\
    actor_rollout_ref.actor.clip_ratio_high=\${clip_high} \\
    actor_rollout_ref.rollout.n=$n \\
    +actor_rollout_ref.rollout.temperature=1.0 \\
    trainer.logger='["console","file"]' \\
    trainer.experiment_name='a b' data.max_prompt_length=\${n} $@
echo done=1
`;
const set = (file: string, text: string, path: string, from: Scalar, to: Scalar): string =>
  editConfig(file, text, { path, from, to });
/** What differs, as \`diff\` shows it. */
function changed(before: string, after: string): string[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  assert.equal(a.length, b.length);
  return a.flatMap((line, i) => (line === b[i] ? [] : [`-${line}`, `+${b[i]}`]));
}

describe("the values of a launch script", () => {
  const values = configScalars("run.sh", script);

  it("are the settings of the command that trains", () => {
    assert.deepEqual(Object.fromEntries(values ?? []), {
      "algorithm.adv_estimator": "grpo",
      "actor_rollout_ref.actor.optim.lr": 1e-6,
      "actor_rollout_ref.actor.use_kl_loss": true,
      "actor_rollout_ref.actor.clip_ratio_high": 0.28,
      "actor_rollout_ref.rollout.temperature": 1,
      "trainer.logger": '["console","file"]',
      "trainer.experiment_name": "a b",
    });
    assert.deepEqual(launchWords(script), ["python3", "-m", "verl.trainer.main_ppo", "$@"]);
  });

  it("leave out what the shell puts in, and a variable that sets two of them", () =>
    assert.deepEqual(
      untoldSettings(script).map(({ path }) => path),
      ["data.train_files", "data.val_files", "actor_rollout_ref.rollout.n", "data.max_prompt_length"],
    ));

  const cases: readonly (readonly [string, Scalar, Scalar, string, string])[] = [
    ["actor_rollout_ref.actor.optim.lr", 1e-6, 2e-6, "optim.lr=1e-6", "optim.lr=2e-6"],
    ["actor_rollout_ref.actor.use_kl_loss", true, false, "use_kl_loss=True", "use_kl_loss=False"],
    ["actor_rollout_ref.actor.clip_ratio_high", 0.28, 0.56, "clip_high=0.28", "clip_high=0.56"],
    ["trainer.experiment_name", "a b", "it's $(x)", "'a b'", String.raw`'it'\''s $(x)'`],
  ];
  for (const [path, from, to, was, is] of cases)
    it(`change one line and no more: ${path}`, () => {
      const [before = "", after = "", ...more] = changed(script, set("run.sh", script, path, from, to));
      assert.ok(before.includes(was) && after.includes(is), after);
      assert.equal(before.slice(1).replace(was, is), after.slice(1));
      assert.deepEqual(more, []);
    });

  it("never become a command", () => {
    const after = set("run.sh", script, "algorithm.adv_estimator", "grpo", "x; rm -rf ~");
    assert.equal(configValue("run.sh", after, "algorithm.adv_estimator"), "x; rm -rf ~");
    assert.equal(configFramework("run.sh", after), configFramework("run.sh", script));
    assert.notEqual(configFramework("run.sh", `${script}rm -rf ~\n`), configFramework("run.sh", script));
  });

  it("are refused where they are not as the edit says", () => {
    assert.throws(
      () => set("run.sh", script, "data.val_files", "x", "y"),
      /There is no value at data\.val_files/,
    );
    assert.throws(() => set("run.sh", script, "algorithm.adv_estimator", "gae", "y"), /is "grpo", not "gae"/);
  });

  it("are those of flags as well", () => {
    const flags =
      "accelerate launch --num_processes=4 train.py --learning_rate 1e-5 --bf16 --beta 0.04 --loss_type=grpo\n";
    assert.deepEqual(Object.fromEntries(configScalars("t.sh", flags) ?? []), {
      ...{ num_processes: 4, learning_rate: 1e-5, beta: 0.04, loss_type: "grpo" },
    });
    assert.equal(set("t.sh", flags, "beta", 0.04, 0.02), flags.replace("0.04", "0.02"));
    assert.deepEqual(launchWords(flags), ["accelerate", "launch", "train.py"]);
  });
});

describe("the values of a TOML file", () => {
  const text = `max_steps = 100
# batch_size = 1
[trainer.optim]
lr = 1e-6 # learning rate
[[orchestrator.env]]
id = "reverse-text"
args = { n = 1 }
[orchestrator.sampling]
temperature = 1.0
note = """
lr = 5
"""
enabled = true
`;
  it("are those of one line each", () => {
    assert.deepEqual(configTree("rl.toml", text), {
      max_steps: 100,
      trainer: { optim: { lr: 1e-6 } },
      orchestrator: {
        env: { "0": { id: "reverse-text" } },
        sampling: { temperature: 1, enabled: true },
      },
    });
  });
  it("change in place", () => {
    assert.equal(set("rl.toml", text, "trainer.optim.lr", 1e-6, 5e-7), text.replace("1e-6", "5e-7"));
    assert.equal(
      set("rl.toml", text, "orchestrator.env.0.id", "reverse-text", 'a "b"'),
      text.replace('"reverse-text"', String.raw`"a \"b\""`),
    );
  });
});
