import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { skipBecause } from "../support/base/skip.ts";
import { MetricRecord, Rollout } from "../../shared/model/rollout.ts";

/** The example as `evotrainer init` makes it; its data as it was made once. */
const example = join(import.meta.dirname, "../../dist/examples/swe-gym");
const data = join(import.meta.dirname, "../../examples/swe-gym/template/data");
const python = process.env["EVOTRAINER_TORCH_PYTHON"] ?? "python3";
const has = (program: string): boolean => spawnSync(python, ["-c", program]).status === 0;
const hasTorch = has("import torch");

const trainers = {
  embedded: [process.execPath, "trainer/trainer.mjs"],
  torch: [python, "trainer/trainer.py"],
} as const;
type Trainer = keyof typeof trainers;

type Changes = Readonly<Record<string, Readonly<Record<string, string>>>>;
type Env = Readonly<Record<string, string>>;

const small: Changes = {
  "harness/train.yaml": {
    "steps: 80": "steps: 2",
    "prompts: 24": "prompts: 6",
    "demonstrations: 3000": "demonstrations: 200",
    "every: 8": "every: 1",
  },
};

describe("trainer.py", function () {
  this.timeout(300_000);
  const folder = mkdtempSync(join(tmpdir(), "trainer-py-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  let projects = 0;

  /** A project with both trainers as `evotrainer init` makes it, shorter training and fewer items. */
  function makeProject(changes: Changes = {}): string {
    const root = join(folder, `project-${++projects}`);
    cpSync(example, root, { recursive: true });
    cpSync(data, join(root, "data"), { recursive: true });
    for (const split of ["train", "selection", "audit"]) {
      const file = join(root, "data", `${split}.jsonl`);
      writeFileSync(file, readFileSync(file, "utf8").split("\n").slice(0, 30).join("\n") + "\n");
    }
    for (const all of [small, changes])
      for (const [file, replaced] of Object.entries(all))
        for (const [from, to] of Object.entries(replaced)) {
          const text = readFileSync(join(root, file), "utf8");
          assert.ok(text.includes(from), `${file} has no ${from}`);
          writeFileSync(join(root, file), text.replace(from, to));
        }
    return root;
  }

  function start(trainer: Trainer, root: string, env: Env): { code: number | null; stderr: string } {
    const { PATH, HOME, EVO_DEVICE = "cpu" } = process.env;
    const [program, script] = trainers[trainer];
    const done = spawnSync(program, [script], {
      cwd: root,
      env: { PATH, HOME, EVO_DEVICE, EVO_RUN_ID: "run-1", EVO_HARNESS: "c0ffee", EVO_SEED: "3", ...env },
      encoding: "utf8",
    });
    return { code: done.status, stderr: done.stderr };
  }

  interface Evidence {
    readonly rollouts: readonly Rollout[];
    readonly metrics: readonly MetricRecord[];
  }

  function run(trainer: Trainer, root: string, env: Env): Evidence {
    const dir = mkdtempSync(join(folder, `${trainer}-`));
    assert.deepEqual(start(trainer, root, { ...env, EVO_RUN_DIR: dir }), { code: 0, stderr: "" });
    const read = (name: string): unknown[] =>
      readFileSync(join(dir, name), "utf8")
        .trimEnd()
        .split("\n")
        .map((line): unknown => JSON.parse(line));
    return {
      rollouts: read("rollouts.jsonl").map((value) => Rollout.parse(value)),
      metrics: read("metrics.jsonl").map((value) => MetricRecord.parse(value)),
    };
  }

  /** Lines of evidence without what the clock says; the log-probability is compared as a number. */
  const lines = (rollouts: readonly Rollout[]): string[] =>
    rollouts.map((r) => JSON.stringify({ ...r, started_at: "", duration_ms: 0, logprob_mean: 0 }));

  function assertClose(actual: unknown, expected: unknown, within: number, what: string): void {
    assert.ok(typeof actual === "number" && typeof expected === "number", what);
    assert.ok(
      Math.abs(actual - expected) <= within * Math.max(1, Math.abs(expected)),
      `${what}: ${actual}, not ${expected}`,
    );
  }

  function assertSame(actual: Evidence, expected: Evidence, step: number): void {
    const at = (evidence: Evidence): readonly Rollout[] =>
      evidence.rollouts.filter((rollout) => rollout.step === step);
    assert.deepEqual(lines(at(actual)), lines(at(expected)));
    at(actual).forEach((rollout, i) =>
      assertClose(rollout.logprob_mean, at(expected)[i]?.logprob_mean, 1e-5, `logprob_mean of ${rollout.id}`),
    );
    const [mine, theirs] = [actual, expected].map(({ metrics }) => metrics.find((m) => m.step === step));
    assert.deepEqual(Object.keys(mine ?? {}), Object.keys(theirs ?? {}));
    for (const [name, value] of Object.entries(theirs ?? {}))
      if (name !== "step_ms") assertClose(mine?.[name], value, 1e-5, name);
  }

  describe("with torch", () => {
    let base = "";
    before(function () {
      if (!hasTorch) skipBecause(this, "there is no Python with torch; name one in EVOTRAINER_TORCH_PYTHON");
      base = join(folder, "base.bin");
      run("embedded", makeProject(), { EVO_SPLITS: "selection", EVO_POLICY_OUT: base });
    });

    const variants: Readonly<Record<string, Changes>> = {
      "the template": {},
      "a filter, an easy start and all other settings": {
        "harness/train.yaml": {
          "temperature: 1": "temperature: 1.4",
          "entropy: 0": "entropy: 0.01",
          "minibatches: 2": "minibatches: 3",
        },
        "harness/environment.yaml": {
          "history: hidden": "history: visible",
          "turnLimit: 12": "turnLimit: 9",
        },
        "harness/curriculum.yaml": { "order: random": "order: easy-first" },
        "harness/main.reward.yaml": {
          "shape: flat": "shape: linear\n    above: 0.5",
          "edit_then_test: # 1 when the tests were run after the last edit\n    shape: linear\n    weight: 0":
            "tested: { signal: edit_then_test, shape: binary, weight: 0.25 } # one line",
          "kind: none": "kind: std\n  mode: top-p\n  warmup: 2",
          "minKeep: 0.5": "minKeep: 0.1",
        },
      },
    };
    for (const [name, changes] of Object.entries(variants))
      it(`takes the same first step as the embedded trainer: ${name}`, () => {
        const root = makeProject(changes);
        const env = { EVO_SPLITS: "train", EVO_POLICY_IN: base };
        const [embedded, torch] = [run("embedded", root, env), run("torch", root, env)];
        assert.equal(embedded.rollouts.filter((r) => r.step === 1).length, 48);
        assertSame(torch, embedded, 1);
        assertClose(torch.metrics[1]?.["reward"], embedded.metrics[1]?.["reward"], 0.05, "reward of step 2");
      });

    it("evaluates a policy to the same rollouts, and to the same again for the same seed", () => {
      const env = { EVO_SPLITS: "selection,audit", EVO_POLICY_IN: base };
      const root = makeProject();
      const [embedded, torch] = [run("embedded", root, env), run("torch", root, env)];
      assert.deepEqual(lines(torch.rollouts), lines(embedded.rollouts));
      assert.deepEqual(torch.metrics, embedded.metrics);
      const trained = { ...env, EVO_SPLITS: "train,selection" };
      assert.deepEqual(
        lines(run("torch", root, trained).rollouts),
        lines(run("torch", root, trained).rollouts),
      );
    });

    it("learns from the same demonstrations, and each trainer reads the other's policy", () => {
      const root = makeProject();
      const parameters = (file: string): number[] => {
        const body = readFileSync(file).subarray(12);
        return Array.from({ length: body.length / 4 }, (_, i) => body.readFloatLE(i * 4));
      };
      const made = { embedded: join(folder, "made.bin"), torch: join(folder, "made-torch.bin") };
      const loss = (trainer: Trainer): unknown =>
        run(trainer, root, { EVO_SPLITS: "selection", EVO_POLICY_OUT: made[trainer] }).metrics[0]?.[
          "warmup_loss"
        ];
      assertClose(loss("torch"), loss("embedded"), 1e-4, "warmup_loss");
      const [mine, theirs] = [parameters(made.torch), parameters(made.embedded)];
      assert.equal(mine.length, theirs.length);
      const gaps = mine.map((value, i) => Math.abs(value - (theirs[i] ?? NaN)));
      assert.ok(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length < 1e-3);
      const again = { EVO_SPLITS: "selection", EVO_POLICY_IN: made.torch };
      assert.deepEqual(
        lines(run("embedded", root, again).rollouts),
        lines(run("torch", root, again).rollouts),
      );
    });
  });

  describe("refuses with one sentence", () => {
    before(function () {
      if (!has("0")) skipBecause(this, "there is no python3 here");
    });

    function refuses(
      name: string,
      code: number,
      message: RegExp,
      changes: Changes,
      env: Env = {},
      needsTorch = false,
    ): void {
      it(name, function () {
        if (needsTorch && !hasTorch) skipBecause(this, "there is no Python with torch");
        const root = makeProject(changes);
        const done = start("torch", root, {
          EVO_RUN_DIR: join(root, "run"),
          EVO_SPLITS: "selection",
          ...env,
        });
        assert.match(done.stderr, message);
        assert.deepEqual([done.code, done.stderr.trim().split("\n").length], [code, 1]);
      });
    }
    const [reward, train] = ["harness/main.reward.yaml", "harness/train.yaml"];
    const efficiency = "efficiency: # 1 / number of turns\n    shape: linear\n    weight: 0";
    const derived = "efficiency:\n    signal: rollout.n_turns\n    shape: linear\n    weight: -0.1";

    refuses(
      "an unknown shape",
      2,
      /^harness\/main\.reward\.yaml:6: components\.correctness\.shape: must be /,
      {
        [reward]: { "shape: flat": "shape: steep" },
      },
    );
    refuses("an unknown key", 2, /^harness\/environment\.yaml:3: speed: is not a key here/, {
      "harness/environment.yaml": { "turnLimit: 12": "turnLimit: 12\nspeed: 3" },
    });
    refuses("a value out of range", 2, /^harness\/train\.yaml:7: optimisation\.clip: must be more than 0 /, {
      [train]: { "clip: 0.2": "clip: 0" },
    });
    refuses("a missing key", 2, /^harness\/train\.yaml:5: optimisation\.clip: is missing/, {
      [train]: { "  clip: 0.2\n": "" },
    });
    refuses(
      "a signal that only backtests know",
      2,
      /^harness\/main\.reward\.yaml:17: components\.efficiency: rollout\.n_turns is known to backtests only/,
      { [reward]: { [efficiency]: derived } },
    );
    refuses("broken YAML", 2, /^harness\/train\.yaml:2 is not valid YAML: the \] is missing on this line/, {
      [train]: { "steps: 2": "steps: [2" },
    });
    refuses("an unknown split", 1, /^EVO_SPLITS names test/, {}, { EVO_SPLITS: "test" });
    refuses("an invalid seed", 1, /^EVO_SEED must be an integer, not x/, {}, { EVO_SEED: "x" });
    const [line] = readFileSync(join(data, "selection.jsonl"), "utf8").split("\n");
    refuses(
      "a broken item",
      1,
      /^data\/selection\.jsonl:1 is not an item: id must be a text that is not empty/,
      { "data/selection.jsonl": { [line ?? ""]: (line ?? "").replace(/"id":"[^"]*"/, '"id":""') } },
      { EVO_POLICY_IN: join(folder, "base.bin") },
      true,
    );
    refuses(
      "a policy with another shape",
      1,
      /is not a policy of this trainer/,
      {},
      { EVO_POLICY_IN: "README.md" },
      true,
    );
    refuses(
      "a missing device",
      1,
      /cannot use nowhere: .*; name another device in EVO_DEVICE/,
      {},
      { EVO_DEVICE: "nowhere" },
      true,
    );
    refuses(
      "to continue beyond its budget",
      124,
      /more than its budget of 0\.001 s\.$/m,
      {},
      { EVO_BUDGET_SECONDS: "0.001", EVO_POLICY_IN: join(folder, "base.bin") },
      true,
    );
  });

  describe("reads YAML", () => {
    before(function () {
      if (!has("0")) skipBecause(this, "there is no python3 here");
    });

    /** What trainer.py makes of each text: the value as JSON, or the line and sentence of what is wrong. */
    function readAll(texts: readonly string[]): unknown[] {
      const program = [
        "import json, sys",
        `sys.path.insert(0, ${JSON.stringify(join(example, "trainer"))})`,
        "import trainer",
        "def read(text):",
        "  try: return {'value': trainer.read_yaml(text)}",
        "  except trainer.YamlError as e: return {'error': '%d: %s' % (e.line, e)}",
        "print(json.dumps([read(text) for text in json.load(sys.stdin)]))",
      ].join("\n");
      const done = spawnSync(python, ["-B", "-c", program], {
        input: JSON.stringify(texts),
        encoding: "utf8",
      });
      assert.equal(done.status, 0, done.stderr);
      const values: unknown = JSON.parse(done.stdout);
      assert.ok(Array.isArray(values));
      return values;
    }

    it("as the engine does", () => {
      const written = [
        "a: 1\nb: -2.5\nc: 1e-3\nd: .5\ne: 0x1f\nf: 0o17\ng: +7\nh: 1_000\ni: 1.\n",
        "a: yes\nb: no\nc: on\nd: true\ne: False\nf: ~\ng: null\nh:\ni: 12:30:45\nj: 2026-01-01\n",
        "a: 'it''s # no comment' # one\nb: \"a\\tb \\u00e9\"\nc: plain # one\nd: a#b\n'e f': 1\n",
        "---\n# first\na:\n    b:\n      c: 1\n\n      d: 2 \n    e: 3\nf: 4\n",
        "a: {b: 1, \"c\": [1, two, '3'], d: {}, e: }\nf: []\ng: [ ]\nh: {i: x y, j: -1}\n",
        "a: one two  three\nb: -x\nc: x:y\nd: \"\"\ne: ''\nf: (x)\ng: 1 2\n",
        "\ufeffa: 1\r\nb:\r\n  c: 2\r\n",
        "",
        "# nothing\n",
        "word\n",
        "12\n",
        "[1, 2]\n",
      ];
      const shipped = ["train", "environment", "curriculum", "evaluation", "main.reward"].map((name) =>
        readFileSync(join(example, "harness", `${name}.yaml`), "utf8"),
      );
      const texts = [...written, ...shipped];
      assert.deepEqual(
        readAll(texts),
        texts.map((text) => ({ value: parse(text) as unknown })),
      );
    });

    it("and refuses other YAML with the line number", () => {
      const wrong: readonly (readonly [string, RegExp])[] = [
        ["a: 1\na: 2\n", /^2: the key a is there twice/],
        ["a:\n  b: 1\n   c: 2\n", /^3: it is indented below a key that has a value/],
        ["a:\n    b: 1\n  c: 2\n", /^3: its indentation fits nothing/],
        ["a: [1, 2\n", /^1: the \] is missing/],
        ["a: {b 1}\n", /^1: a key and a colon are missing/],
        ["a: [1] 2\n", /^1: 2 was not expected/],
        ["a: 'x' y\n", /^1: y was not expected/],
        ["a: 1\nb\n", /^2: b is not a key with a colon/],
        ["a:\n\t b: 1\n", /^2: it is indented with a tab/],
        ["a: &x 1\n", /^1: &x 1 is more YAML than/],
        ["a: *x\n", /^1: \*x is more YAML than/],
        ["a: |\n  text\n", /^1: \| is more YAML than/],
        ["a: !!int 1\n", /^1: !!int 1 is more YAML than/],
        ["a:\n  - 1\n  - 2\n", /^2: - 1 is not a key with a colon/],
        ["a: b: c\n", /^1: b: c is a second value/],
        ['a: "\\q"\n', /^1: .* escape/],
      ];
      readAll(wrong.map(([text]) => text)).forEach((answer, i) => {
        const [text, message] = wrong[i] ?? ["", /^$/];
        assert.ok(typeof answer === "object" && answer !== null && "error" in answer, text);
        assert.match(String(answer.error), message);
      });
    });
  });
});
