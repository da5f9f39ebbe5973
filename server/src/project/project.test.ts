import assert from "node:assert/strict";
import { HarnessError } from "../base/errors.ts";
import { shippedDiagnostics } from "./library.ts";
import { loadProject, loadReward } from "./project.ts";
import type { FileSource } from "./source.ts";
import { surfaceViolations } from "./surfaces.ts";
import { InterventionSpec } from "../../../shared/spec/intervention.ts";

const minimal = `apiVersion: evotrainer/v1
kind: Project
name: demo
domain: math
trainer: { command: [node, train.mjs] }
evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
  files: [train.mjs]
surfaces:
  - { factor: reward, file: main.reward.yaml, paths: [components] }
  - { factor: optimisation, file: train.yaml }
frozen:
  - { file: train.yaml, paths: [hardware] }
reward: main.reward.yaml
`;

const diagnostic = (name: string): string => `apiVersion: evotrainer/v1
kind: Diagnostic
name: ${name}
label: { when: 'outcome == "fail"' }
`;

function files(tree: Readonly<Record<string, string>>): FileSource {
  return {
    name: "the test",
    read: (path) => Promise.resolve(tree[path]),
    list: (folder) =>
      Promise.resolve(
        Object.keys(tree)
          .filter((p) => p.startsWith(`${folder}/`))
          .sort(),
      ),
  };
}

const refuses = (
  tree: Readonly<Record<string, string>>,
  reason: "projectMissing" | "projectInvalid",
  says: RegExp,
): Promise<void> =>
  assert.rejects(loadProject(files(tree)), (e) => HarnessError.is(e, reason) && says.test(e.message));

describe("loadProject", () => {
  it("fills in the defaults", async () => {
    const { spec } = await loadProject(files({ "evotrainer.yaml": minimal }));
    assert.equal(spec.metric.aggregator, "macro");
    assert.deepEqual(spec.trainer.seeds, [1]);
    assert.equal(spec.gates.firstVersionsGated, 3);
  });
  it("says what to do when there is no project file", () =>
    refuses({}, "projectMissing", /no evotrainer\.yaml .* make one with `evotrainer init`/));
  for (const [what, text, says] of [
    ["unfinished YAML", minimal.replace("[node, train.mjs]", "[node, "), /evotrainer\.yaml:\d+: /],
    ["a missing key", minimal.replace("domain: math\n", ""), /evotrainer\.yaml:1: domain: /],
    ["an unknown key", `${minimal}colour: red\n`, /colour/],
    [
      "a path that leaves the project",
      minimal.replace("data/audit.jsonl", "../audit.jsonl"),
      /evotrainer\.yaml:7: evaluation\.splits\.audit: .*inside the project/,
    ],
    [
      "a name that cannot be a ref",
      minimal.replace("domain: math", "domain: --upload"),
      /evotrainer\.yaml:4: domain: /,
    ],
    ["an empty file", "", /evotrainer\.yaml:1: /],
    ["a list", "- 1\n", /evotrainer\.yaml:1: /],
    [
      "an alias bomb",
      `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n`,
      /alias/i,
    ],
  ] as const)
    it(`refuses ${what}`, () => refuses({ "evotrainer.yaml": text }, "projectInvalid", says));

  it("keeps the readable specs when one is broken or two have the same name", async () => {
    const project = await loadProject(
      files({
        "evotrainer.yaml": minimal,
        "harness/diagnostics/a.diagnostic.yaml": diagnostic("a"),
        "harness/diagnostics/b.diagnostic.yaml": "kind: Diagnostic\n",
        "harness/diagnostics/c.diagnostic.yaml": diagnostic("a"),
        "harness/diagnostics/notes.txt": "no spec",
      }),
    );
    assert.deepEqual(
      project.diagnostics.map((d) => d.path).filter((path) => !path.startsWith("library/")),
      ["harness/diagnostics/a.diagnostic.yaml"],
    );
    assert.deepEqual(
      [...new Set(project.problems.map((p) => p.path))],
      ["harness/diagnostics/b.diagnostic.yaml", "harness/diagnostics/c.diagnostic.yaml"],
    );
  });
  it("reports that the named reward is missing", async () => {
    const source = files({ "evotrainer.yaml": minimal });
    const { spec } = await loadProject(source);
    await assert.rejects(
      loadReward(source, spec),
      (e) => HarnessError.is(e, "notFound") && e.message.includes("main.reward.yaml"),
    );
  });
});

describe("the library in a project", () => {
  const load = async (library: string, more: Readonly<Record<string, string>> = {}) => {
    const { diagnostics, problems } = await loadProject(
      files({ "evotrainer.yaml": `${minimal}library: ${library}\n`, ...more }),
    );
    const of = (name: string) => diagnostics.find((d) => d.spec.name === name);
    return { diagnostics, problems, of };
  };

  it("is used whole by default, in part by name, or not at all", async () => {
    const all = (await load("{}")).diagnostics.map((d) => d.spec.name);
    assert.deepEqual(
      all,
      shippedDiagnostics().map((d) => d.spec.name),
    );
    assert.deepEqual(
      (await load("{ use: [poor-edits, dead-group] }")).diagnostics.map((d) => d.spec.name),
      ["dead-group", "poor-edits"],
    );
    assert.deepEqual((await load("{ use: none }")).diagnostics, []);
  });

  it("uses the domain's thresholds, then the project's", async () => {
    const { of } = await load(
      "{ params: { poor-edits: { rate: 0.3 }, dead-group: { above: 0.4 } }, domains: { math: { dead-group: { above: 0.45, critical: 0.9 } }, swe: { poor-edits: { rate: 0.9 } } } }",
    );
    assert.deepEqual(of("poor-edits")?.spec.params, { rate: 0.3 });
    assert.deepEqual(of("dead-group")?.spec.alert, { metric: "rate", above: 0.45, critical: 0.9 });
  });

  it("has other thresholds for some domains", async () => {
    const swe = minimal.replace("domain: math", "domain: swe");
    const { diagnostics } = await loadProject(files({ "evotrainer.yaml": swe }));
    const { params } = diagnostics.find((d) => d.spec.name === "truncation")?.spec ?? {};
    assert.equal(params?.["warn"], 0.2);
  });

  it("gives way to a project's diagnostic with the same name", async () => {
    const { diagnostics, of } = await load("{}", {
      "harness/diagnostics/x.diagnostic.yaml": diagnostic("poor-edits"),
    });
    assert.equal(of("poor-edits")?.path, "harness/diagnostics/x.diagnostic.yaml");
    assert.equal(diagnostics.filter((d) => d.spec.name === "poor-edits").length, 1);
  });

  it("reports a misspelt name, and continues without it", async () => {
    const { problems, diagnostics } = await load(
      "{ use: [poor-edit, low-score], params: { low-score: { belw: 0.5 } } }",
    );
    assert.deepEqual(
      problems.map((p) => `${p.line} ${p.message}`),
      [
        "15 library.use.0: The library has no diagnostic poor-edit. Did you mean poor-edits?",
        "15 library.params.low-score.belw: The diagnostic low-score has no parameter belw. Did you mean below?",
      ],
    );
    assert.deepEqual(
      diagnostics.map((d) => d.spec.name),
      ["low-score"],
    );
  });
});

describe("surfaceViolations", () => {
  const check = async (factor: string, ...edits: { file: string; path: string }[]): Promise<string[]> => {
    const { spec } = await loadProject(files({ "evotrainer.yaml": minimal }));
    const intervention = InterventionSpec.parse({
      apiVersion: "evotrainer/v1",
      kind: "Intervention",
      name: "x",
      hypothesis: { change: "a", metric: "solve_rate", direction: "increase", because: "test" },
      targets: ["t"],
      factor,
      edit: edits.map((e) => ({ ...e, from: 1, to: 2 })),
      success: { atLeast: 0 },
    });
    return surfaceViolations(spec, intervention);
  };
  it("accepts an edit of the named factor", async () =>
    assert.deepEqual(
      await check("reward", { file: "main.reward.yaml", path: "components.correctness.weight" }),
      [],
    ));
  it("refuses a second factor", async () => {
    const found = await check(
      "reward",
      { file: "main.reward.yaml", path: "components.a.weight" },
      { file: "train.yaml", path: "kl" },
    );
    assert.match(found.join(), /kl in train\.yaml belongs to optimisation/);
  });
  it("refuses a value that no surface declares", async () =>
    assert.match(
      (await check("reward", { file: "main.reward.yaml", path: "filter.kind" })).join(),
      /not on a declared surface/,
    ));
  it("refuses frozen keys and the evaluation", async () => {
    assert.match(
      (await check("optimisation", { file: "train.yaml", path: "hardware.gpus" })).join(),
      /frozen/,
    );
    assert.match((await check("data", { file: "data/selection.jsonl", path: "x" })).join(), /frozen/);
  });
});
