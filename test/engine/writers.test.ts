import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skipBecause } from "../support/base/skip.ts";
import type { EvidenceKind } from "../../server/src/evidence/contract/parse.ts";
import { validateFile } from "../../server/src/evidence/contract/validateFile.ts";
import { composeReward } from "../../shared/reward/reward.ts";

const writers = join(import.meta.dirname, "../../examples/writers");

const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

/** An empty run directory, and what a trainer of it is given. */
function makeRun(): { readonly folder: string; readonly env: NodeJS.ProcessEnv } {
  const folder = mkdtempSync(join(tmpdir(), "evotrainer-writers-"));
  const env = {
    ...process.env,
    EVO_RUN_DIR: folder,
    EVO_RUN_ID: "job-1",
    EVO_HARNESS: "0123456789abcdef0123456789abcdef01234567",
    EVO_SEED: "7",
    EVO_POLICY_IN: "ckpt-0",
    PYTHONPATH: writers,
    PYTHONDONTWRITEBYTECODE: "1",
  };
  return { folder, env };
}

async function assertValid(folder: string, kind: EvidenceKind, records: number): Promise<void> {
  const path = join(folder, `${kind}.jsonl`);
  const { bad, problems, records: good } = await validateFile(path, { kind });
  assert.deepEqual({ bad, problems, good }, { bad: 0, problems: [], good: records });
}

const linesOf = (folder: string, kind: EvidenceKind): unknown[] =>
  readFileSync(join(folder, `${kind}.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));

/** The field at this path of a parsed line. */
function at(value: unknown, ...path: (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    assert.ok(typeof found === "object" && found !== null, path.join("."));
    found = Object.entries(found).find(([name]) => name === String(key))?.[1];
  }
  return found;
}

describe("evidence writers", () => {
  let run: ReturnType<typeof makeRun>;
  beforeEach(() => {
    run = makeRun();
  });
  afterEach(() => rmSync(run.folder, { recursive: true, force: true }));

  describe("evidence_writer.py", () => {
    before(function () {
      if (!has("python3", "--version")) skipBecause(this, "there is no python3 here");
    });

    function python(program: string): string {
      const header = "from evidence_writer import *\nimport math, os\n";
      const done = spawnSync("python3", ["-"], { input: header + program, env: run.env, encoding: "utf8" });
      assert.equal(done.status, 0, done.stderr);
      return done.stdout;
    }
    const whole =
      'dict(id="a", split="train", step=1, item="i", outcome="pass", reward=1, turns=[], stop_reason="success", tokens=1, started_at="2026-01-01T00:00:00Z", duration_ms=5)';

    it("writes rollouts and metrics that keep the contract", async () => {
      python(`
messages = [
  {"role": "system", "content": "Be brief."},
  {"role": "user", "content": [{"type": "text", "text": "Fix "}, {"type": "text", "text": "it."}]},
  {"role": "assistant", "content": "Let me look.", "tool_calls": [
    {"id": "1", "type": "function", "function": {"name": "open", "arguments": '{"path": "a.py"}'}},
    {"id": "2", "function": {"name": "run", "arguments": {"n": 1}}}]},
  {"role": "tool", "tool_call_id": "1", "content": "line 1\\nline 2 \\ud800 \\u2028 ☃"},
  {"role": "assistant", "content": None, "tool_calls": ['{"name": "done", "arguments": "not json"}']},
]
class Scalar:
  def item(self): return 0.5
with EvidenceWriter() as w:
  w.rollout(**{**${whole}, "turns": turns_from_messages(messages), "components": {"tests": Scalar()}, "logprob_mean": -0.5})
  w.rollout(**{**${whole}, "id": "b", "outcome": None, "unknown_reason": "timeout", "reward": None, "step": 2.0, "group": "g", "sample": 3})
  w.rollout(**{**${whole}, "id": "c", "outcome": False, "seed": 9, "policy": "other", "extra": {"deep": [{"a": None}]}})
  w.metrics(1, loss=0.25, kl=None, **{"critic/score/mean": Scalar()})
`);
      await assertValid(run.folder, "rollouts", 3);
      await assertValid(run.folder, "metrics", 1);
      assert.deepEqual(linesOf(run.folder, "metrics"), [
        { step: 1, loss: 0.25, kl: null, "critic/score/mean": 0.5 },
      ]);
      const [first, second, third] = linesOf(run.folder, "rollouts");
      assert.deepEqual(at(first, "turns"), [
        { role: "system", text: "Be brief." },
        { role: "user", text: "Fix it." },
        { role: "assistant", text: "Let me look.", tool: "open", args: { path: "a.py" } },
        { role: "assistant", text: "", tool: "run", args: { n: 1 } },
        { role: "tool", text: "line 1\nline 2 \ud800 \u2028 ☃" },
        { role: "assistant", text: "", tool: "done", args: { text: "not json" } },
      ]);
      assert.deepEqual(
        [at(first, "components", "tests"), at(first, "group"), at(first, "seed")],
        [0.5, "1/i", 7],
      );
      assert.deepEqual(
        [at(second, "outcome"), at(second, "step"), at(second, "reward")],
        ["unknown", 2, null],
      );
      assert.deepEqual([at(third, "outcome"), at(third, "seed"), at(third, "policy")], ["fail", 9, "other"]);
    });

    it("writes null for unknown values", () => {
      python(`
for name in ("EVO_SEED", "EVO_HARNESS", "EVO_POLICY_IN"): del os.environ[name]
EvidenceWriter().rollout(id="a", split="train", step=1, item="i", outcome="pass", reward=None, turns=[])
`);
      const [line] = linesOf(run.folder, "rollouts");
      for (const name of [
        "seed",
        "harness",
        "policy",
        "tokens",
        "stop_reason",
        "started_at",
        "duration_ms",
        "reward",
      ])
        assert.equal(at(line, name), null, name);
    });

    const refused: readonly [name: string, changes: string, message: string][] = [
      [
        "NaN",
        "reward=math.nan",
        "rollout.reward is nan, which JSON does not have: give None where there is no value.",
      ],
      ["a hidden infinity", 'extra={"a": [math.inf]}', "rollout.extra.a[0] is inf, which JSON does not have"],
      ["another split", 'split="test"', "split must be one of train, selection, audit, got 'test'."],
      ["another outcome", 'outcome="ok"', "outcome must be one of pass, fail, unknown, got 'ok'."],
      ["unknown without a reason", "outcome=None", "An unknown outcome needs unknown_reason"],
      ["a text as step", 'step="1"', "step must be a whole number, got '1'."],
      ["a fraction as step", "step=1.5", "step must be a whole number, got 1.5."],
      ["a boolean as reward", "reward=True", "reward must be a number, got True."],
      ["a negative count", "tokens=-1", "tokens must be at least 0, got -1."],
      ["an empty id", 'id=""', "id must not be empty."],
      ["no item", "item=None", "item is missing."],
      ["a null component", 'components={"a": None}', "components.a is missing."],
      ["a turn without text", 'turns=[{"role": "user"}]', "turns[0].text is missing."],
      [
        "args that are no dict",
        'turns=[{"role": "a", "text": "", "args": [1]}]',
        "turns[0].args must be a dict",
      ],
      ["a time that is none", 'started_at="yesterday"', "started_at must be an ISO 8601 time"],
      ["an object", "extra={'a': object()}", "rollout.extra.a is a object, which JSON does not have."],
      ["a key that is no text", "extra={1: 2}", "rollout.extra has the key 1, which is not a text."],
      ["a huge integer", "seed=2**60", "an integer over 2^53 loses digits"],
      ["another field", "colour=1", "Not in the contract: colour; put it into extra=."],
      [
        "a line over 8 MiB",
        "turns=[{'role': 'user', 'text': 'x' * 9000000}]",
        "more than 8388608: shorten the texts",
      ],
    ];
    it("refuses values outside the contract before it writes anything", () => {
      const calls = refused.map(([, changes]) => `dict(${changes})`).join(",\n");
      const messages = python(`
w = EvidenceWriter()
for changes in [${calls}]:
  try: w.rollout(**{**${whole}, **changes}); print("written")
  except EvidenceError as e: print(e)
assert not os.path.exists(w.rollouts_path)
`)
        .trimEnd()
        .split("\n");
      for (const [i, [name, , message]] of refused.entries())
        assert.ok(messages[i]?.includes(message), `${name}: ${messages[i] ?? ""}`);
    });

    it("writes lines from several processes and threads into one file, or a file for each rank", async () => {
      python(`
import multiprocessing, threading
def work(w, n):
  for i in range(50):
    w.rollout(**{**${whole}, "id": "%d-%d" % (n, i), "turns": [{"role": "user", "text": "x" * 50000}]})
    w.metrics(i, loss=n)
if __name__ == "__main__":
  w = EvidenceWriter()
  w.metrics(0, loss=0)
  context = multiprocessing.get_context("fork")
  jobs = [context.Process(target=work, args=(w, n)) for n in range(3)] + [threading.Thread(target=work, args=(w, n)) for n in (3, 4)]
  for job in jobs: job.start()
  for job in jobs: job.join()
  EvidenceWriter(rank=3).metrics(1, loss=1)
`);
      await assertValid(run.folder, "rollouts", 250);
      await assertValid(run.folder, "metrics", 251);
      assert.equal(readFileSync(join(run.folder, "metrics.3.jsonl"), "utf8"), '{"step": 1, "loss": 1}\n');
    });

    it("says what it needs", () => {
      const messages = python(`
for name in ("EVO_RUN_ID", "EVO_RUN_DIR"):
  del os.environ[name]
  try: EvidenceWriter()
  except EvidenceError as e: print(e)
`);
      assert.match(
        messages,
        /^The run has no name: set EVO_RUN_ID.*\nThere is no folder to write to: set EVO_RUN_DIR/,
      );
    });
  });

  describe("write_evidence.sh", () => {
    before(function () {
      if (!has("sh", "-c", "command -v awk && command -v dd"))
        skipBecause(this, "there is no sh with awk and dd here");
    });
    const script = join(writers, "write_evidence.sh");
    const sh = (args: readonly string[], shell = "sh") =>
      spawnSync(shell, [script, ...args], { env: run.env, encoding: "utf8" });
    const rollout = ["rollout", "split=train", "step=40", "item=i", "outcome=pass", "reward=1", "tokens=3"];
    const known = [...rollout, "stop_reason=success", "started_at=2026-01-01T00:00:00Z", "duration_ms=5"];

    it("writes rollouts and metrics that keep the contract, whatever their texts contain", async () => {
      const text = 'a "b" \\n \\ $(x) `y`\n\ttab ☃ %s \u001b[1m\r\n\n';
      const shells = ["sh", "dash", "bash"].filter((name) => has(name, "-c", "true"));
      assert.ok(shells.includes("sh"));
      for (const [i, shell] of shells.entries()) {
        const good = sh(
          [...known, `id=${i}`, `user=${text}`, "assistant=", "component:a=-0.5", `extra:k"=${text}`],
          shell,
        );
        assert.equal(good.status, 0, `${shell}: ${good.stderr}`);
        assert.equal(sh(["metrics", String(i), "loss=1e-3", "a=b=0", "kl=null"], shell).status, 0);
      }
      const lines = linesOf(run.folder, "rollouts");
      await assertValid(run.folder, "rollouts", lines.length);
      await assertValid(run.folder, "metrics", lines.length);
      for (const line of lines) {
        assert.deepEqual(at(line, "turns"), [
          { role: "user", text },
          { role: "assistant", text: "" },
        ]);
        assert.deepEqual([at(line, "extra"), at(line, "components")], [{ 'k"': text }, { a: -0.5 }]);
        assert.deepEqual([at(line, "group"), at(line, "seed"), at(line, "policy")], ["40/i", 7, "ckpt-0"]);
      }
      assert.deepEqual(linesOf(run.folder, "metrics")[0], { step: 0, loss: 0.001, "a=b": 0, kl: null });
    });

    it("writes null for unknown values", () => {
      const env = { ...run.env, EVO_SEED: "", EVO_HARNESS: "", EVO_POLICY_IN: "" };
      const done = spawnSync("sh", [script, ...rollout, "id=1", "tokens=null"], { env, encoding: "utf8" });
      assert.equal(done.status, 0, done.stderr);
      const [line] = linesOf(run.folder, "rollouts");
      for (const name of ["seed", "harness", "policy", "tokens", "stop_reason", "started_at", "duration_ms"])
        assert.equal(at(line, name), null, name);
    });

    const refused: readonly [args: readonly string[], message: RegExp][] = [
      [["metrics", "1", "loss=NaN"], /loss must be a number or null, got 'NaN'/],
      [["metrics", "1", "loss=01"], /loss must be a number/],
      [["metrics", "1", "loss=1\n2"], /loss must be a number/],
      [["metrics", "1", "loss="], /loss must be a number/],
      [["metrics", "1.5"], /step must be a whole number/],
      [["metrics", "1", "loss"], /NAME=NUMBER/],
      [["metrics"], /needs a step/],
      [[...known], /id is missing/],
      [[...known, "id=1", "outcome=ok"], /outcome must be pass, fail or unknown/],
      [[...known, "id=1", "outcome=unknown"], /needs unknown_reason/],
      [[...known, "id=1", "split=test"], /split must be/],
      [[...known, "id=1", "reward=inf"], /reward must be a number or null/],
      [[...known, "id=1", "tokens=-1"], /tokens must be a whole number/],
      [[...known, "id=1", "component:a=null"], /component:a must be a number/],
      [[...known, "id=1", "component:a=b=1"], /component:a must be a number or null, got 'b=1'/],
      [[...known, "id=1", "colour=red"], /put it into extra:colour=/],
      [["turn"], /must be rollout or metrics/],
    ];
    it("refuses values outside the contract, and writes nothing", () => {
      for (const [args, message] of refused) {
        const done = sh(args);
        assert.notEqual(done.status, 0, args.join(" "));
        assert.match(done.stderr, message);
      }
      assert.throws(() => readFileSync(join(run.folder, "rollouts.jsonl")), /ENOENT/);
      assert.throws(() => readFileSync(join(run.folder, "metrics.jsonl")), /ENOENT/);
    });

    it("writes long lines from several processes into one file", async () => {
      const text = "long line ".repeat(8000);
      const jobs = Array.from({ length: 6 }, (_, i) => {
        const child = spawn("sh", [script, ...known, `id=${i}`, `user=${text}`], { env: run.env });
        return new Promise((done) => child.once("exit", done));
      });
      assert.deepEqual(await Promise.all(jobs), Array(6).fill(0));
      await assertValid(run.folder, "rollouts", 6);
    });
  });

  describe("verl_reward.py", () => {
    it("tells a crash of the grader from a failed rollout", function () {
      if (!has("python3", "--version")) skipBecause(this, "there is no python3 here");
      const program = [
        "import json, verl_reward",
        "call = lambda truth: verl_reward.compute_score('gsm8k', 'so 42', truth, extra_info={})",
        "class Broken:\n  def __str__(self): raise KeyError('truth')",
        "print(json.dumps([call('42'), call('7'), call(Broken())]))",
      ].join("\n");
      const done = spawnSync("python3", ["-c", program], { env: run.env, encoding: "utf8" });
      assert.equal(done.status, 0, done.stderr);
      assert.deepEqual(JSON.parse(done.stdout), [
        { score: 1, accuracy: 1, grader_error: "" },
        { score: 0, accuracy: 0, grader_error: "" },
        { score: 0, accuracy: 0, grader_error: "KeyError: 'truth'" },
      ]);
    });
  });

  describe("reward_spec.py", () => {
    before(function () {
      if (!has("python3", "--version")) skipBecause(this, "there is no python3 here");
    });

    const values = [0, 0.1, 0.49, 0.5, 0.75, 0.999, 1];
    const terms = {
      linear: { shape: "linear", weight: 0.5 },
      flat: { shape: "flat", weight: 1, signal: "a" },
      binary: { shape: "binary", weight: -2, signal: "a" },
      above: { shape: "linear", weight: 3, signal: "a", above: 0.4 },
      "binary-above": { shape: "binary", weight: 1, signal: "a", above: 0.25 },
      off: { shape: "linear", weight: 0, signal: "unknown" },
    } as const;

    it("computes the same reward as a backtest", () => {
      const spec = { components: terms };
      const signals = values.flatMap((a) => values.map((linear) => ({ a, linear })));
      const done = spawnSync(
        "python3",
        [
          "-c",
          `import json, sys
from reward_spec import composer
spec, signals = json.load(sys.stdin)
reward = composer(spec, ("a", "linear"))
print(json.dumps([reward(s) for s in signals]))`,
        ],
        { env: run.env, encoding: "utf8", input: JSON.stringify([spec, signals]) },
      );
      assert.equal(done.status, 0, done.stderr);
      assert.deepEqual(
        JSON.parse(done.stdout),
        signals.map((each) => composeReward(spec, each)),
      );
    });

    for (const [what, spec, message] of [
      ["an unknown signal", { components: { b: { weight: 1 } } }, /components\.b .* no signal b/],
      ["an unknown shape", { components: { a: { weight: 1, shape: "round" } } }, /'round' is no shape/],
      ["a group filter", { components: {}, filter: { kind: "std" } }, /filter\.kind .* must be none/],
    ] as const)
      it(`refuses ${what}`, () => {
        const code =
          "import json, sys; from reward_spec import composer; composer(json.load(sys.stdin), ('a',))";
        const done = spawnSync("python3", ["-c", code], {
          env: run.env,
          encoding: "utf8",
          input: JSON.stringify(spec),
        });
        assert.match(done.stderr, message);
      });
  });

  describe("trl_evidence.py", () => {
    it("computes one reward from signals, and keeps rollouts that could not be judged separate", async function () {
      this.timeout(120_000);
      const interpreter = process.env["EVOTRAINER_TRL_PYTHON"] ?? "python3";
      if (!has(interpreter, "-c", "import transformers"))
        skipBecause(this, "there is no Python with transformers; name one in EVOTRAINER_TRL_PYTHON");
      const program = `
from trl_evidence import TrlEvidence
evidence = TrlEvidence(passed=lambda s: s["a"] >= 1, item=lambda row: row["id"])
batch = dict(prompts=["p"] * 3, completions=["x", "y", "z"], id=["1", "2", "3"])
double = evidence.composed(lambda completions, **_: [{"a": 1.0}, None, {"a": 0.5}], lambda s: 2 * s["a"])
print(double.__name__, double(**batch))
def broken(**_): raise KeyError("truth")
try: evidence.composed(broken, sum)(**batch)
except KeyError: print("raised")
`;
      const done = spawnSync(interpreter, ["-c", program], { env: run.env, encoding: "utf8" });
      assert.equal(done.stdout, "reward [2.0, None, 1.0]\nraised\n", done.stderr);
      await assertValid(run.folder, "rollouts", 6);
      const rollouts = linesOf(run.folder, "rollouts");
      assert.deepEqual(
        rollouts.map((r) => [at(r, "item"), at(r, "outcome"), at(r, "reward"), at(r, "components")]),
        [
          ["1", "pass", 2, { a: 1 }],
          ["2", "unknown", null, {}],
          ["3", "fail", 1, { a: 0.5 }],
          ...["1", "2", "3"].map((item) => [item, "unknown", null, {}]),
        ],
      );
      assert.equal(at(rollouts[3], "unknown_reason"), "the reward raised KeyError");
    });

    it("writes the evidence of a GRPO run", async function () {
      this.timeout(300_000);
      const interpreter = process.env["EVOTRAINER_TRL_PYTHON"] ?? "python3";
      if (!has(interpreter, "-c", "import trl"))
        skipBecause(this, "there is no Python with trl; name one in EVOTRAINER_TRL_PYTHON");
      const done = spawnSync(interpreter, ["-"], {
        input: grpoRun,
        env: { ...run.env, HF_HUB_OFFLINE: "1" },
        encoding: "utf8",
      });
      assert.equal(done.status, 0, done.stderr.slice(-3000));
      await assertValid(run.folder, "rollouts", 20);
      const rollouts = linesOf(run.folder, "rollouts");
      const count = (name: string, value: unknown): number =>
        rollouts.filter((r) => at(r, name) === value).length;
      assert.deepEqual([count("split", "train"), count("split", "selection")], [12, 8]);
      assert.equal(new Set(rollouts.map((r) => at(r, "group"))).size, 5);
      for (const r of rollouts) {
        const [accuracy, brief] = [at(r, "components", "accuracy"), at(r, "components", "brief")];
        assert.equal(at(r, "outcome"), brief === undefined ? "unknown" : accuracy === 1 ? "pass" : "fail");
        assert.equal(at(r, "reward"), Number(accuracy) + 0.5 * Number(brief ?? 0));
        assert.match(String(at(r, "item")), /^add-\d$/);
      }
      const { problems } = await validateFile(join(run.folder, "metrics.jsonl"), { kind: "metrics" });
      assert.deepEqual(problems, []);
      const last = linesOf(run.folder, "metrics").at(-1);
      assert.deepEqual(
        [at(last, "step"), typeof at(last, "reward"), typeof at(last, "eval_reward")],
        [3, "number", "number"],
      );
    });
  });
});

/** Three steps of GRPO with a model of one small layer and a tokenizer of 26 words. */
const grpoRun = `
import os
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer
from trl_evidence import TrlEvidence

words = ["<pad>", "<eos>", "<unk>"] + [str(i) for i in range(20)] + ["add", "and", "is"]
backend = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
backend.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
model = LlamaForCausalLM(LlamaConfig(
    vocab_size=len(words), hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
    num_key_value_heads=2, pad_token_id=0, eos_token_id=1, bos_token_id=None))

def accuracy(completions, answer, **kwargs):
    return [1.0 if a in c.split() else 0.0 for c, a in zip(completions, answer)]

def brief(completions, **kwargs):
    return [None if len(c.split()) == 3 else 0.25 * (len(c) % 4) for c in completions]

data = Dataset.from_list([{"prompt": f"add {i} and {i} is", "answer": str(2 * i), "task": f"add-{i}"} for i in range(8)])
evidence = TrlEvidence(passed=lambda c: c["accuracy"] >= 1, item=lambda row: row["task"])
config = GRPOConfig(
    output_dir=os.path.join(os.environ["EVO_RUN_DIR"], "trl"), per_device_train_batch_size=4,
    per_device_eval_batch_size=4, num_generations=4, max_completion_length=6, max_steps=3, logging_steps=1,
    eval_strategy="steps", eval_steps=3, report_to=[], use_cpu=True, bf16=False, save_strategy="no",
    reward_weights=[1.0, 0.5])
GRPOTrainer(
    model=model, args=config, processing_class=tokenizer, train_dataset=data, eval_dataset=data.select(range(2)),
    reward_funcs=evidence.wrap([accuracy, brief]), callbacks=[evidence]).train()
`;
