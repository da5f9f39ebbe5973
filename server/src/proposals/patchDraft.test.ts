import assert from "node:assert/strict";
import { InterventionSpec } from "../../../shared/spec/intervention.ts";
import { linksIn } from "../project/frozen/links.ts";
import { loadProjectSpec } from "../project/project.ts";
import type { FileSource } from "../project/source.ts";
import { claimsAfter, hypothesisEntry } from "./difference/claims.ts";
import { titleOf } from "./difference/difference.ts";
import { draftOf, problemsText } from "./draft.ts";
import { factorOf, outcomeProblems } from "./outcomeProblems.ts";

const score =
  "def score(x):\n    if x:\n        return 1.0\n    return 0.0\n\n\ndef bonus(x):\n    return 0.0\n";
const files: Readonly<Record<string, string>> = {
  "evotrainer.yaml": `apiVersion: evotrainer/v1
kind: Project
name: p
domain: d
trainer: { command: [x] }
evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
  files: [eval/grade.py]
surfaces:
  - { factor: reward, kind: text, files: ["reward/**"] }
  - { factor: environment, kind: text, files: ["env/*.py"] }
  - { factor: optimisation, file: train.yaml }
`,
  "reward/score.py": score,
  "reward/latin.py": "# caf\ufffd\n",
  "env/tools.py": "a = 1\n",
  "eval/grade.py": "b = 1\n",
  "train.yaml": "lr: 1.0e-6\nshape: flat\n",
  "data/train.jsonl": '{"id":"1"}\n',
};
const source = (extra: Readonly<Record<string, string>> = {}): FileSource => {
  const all = { ...files, ...extra };
  return {
    name: "the parent",
    read: (path) => Promise.resolve(Object.hasOwn(all, path) ? all[path] : undefined),
    list: () => Promise.resolve([]),
    links: () =>
      Promise.resolve(
        linksIn(
          new Map([
            ["reward/linked.py", "score.py"],
            ["reward/away", "../env"],
          ]),
          [{ path: "reward/vendor", kind: "submodule" }],
        ),
      ),
  };
};

const one = (path: string, before: string, after: string): string =>
  `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${before}\n+${after}\n`;
const added = (path: string): string => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x = 1\n`;
const half = `--- a/reward/score.py
+++ b/reward/score.py
@@ -1,4 +1,4 @@
 def score(x):
     if x:
-        return 1.0
+        return 0.5
     return 0.0
@@ -6,3 +6,3 @@
 
 def bonus(x):
-    return 0.0
+    return 0.1
`;

const intervention = (
  edit: readonly object[],
  factor = "reward",
  change = "reward/score.py",
): InterventionSpec =>
  InterventionSpec.parse({
    ...{ apiVersion: "evotrainer/v1", kind: "Intervention", name: "half", factor, targets: ["low-score"] },
    hypothesis: { change, metric: "solve_rate", direction: "increase", because: "it pays too much" },
    edit,
    predicts: { fixes: ["echo-trap"] },
    success: { atLeast: 0.02 },
  });
const drafted = async (spec: InterventionSpec, extra?: Readonly<Record<string, string>>) =>
  draftOf(
    { spec, because: "it is time", finding: null },
    { parent: source(extra), declared: await loadProjectSpec(source()) },
  );

describe("a patch as a draft", () => {
  it("is what it makes of its parent's files, and is titled by that", async () => {
    const found = await drafted(intervention([{ patch: half }]));
    assert.equal(found.type, "sound", JSON.stringify(found));
    const { files: changed } = found.draft;
    assert.deepEqual(
      changed.map(({ path, after }) => [path, after]),
      [
        [
          "reward/score.py",
          score
            .replace("1.0", "0.5")
            .replace("return 0.0\n", "return 0.0\n")
            .replace(/0\.0\n$/, "0.1\n"),
        ],
      ],
    );
    assert.equal(titleOf(changed), "reward/score.py: +2 -2 lines (score, bonus)");
    assert.equal(factorOf(await loadProjectSpec(source()), changed), "reward");
  });

  it("may add and remove files on its surface", async () => {
    const remove = `--- a/reward/score.py\n+++ /dev/null\n@@ -1,8 +0,0 @@\n${score.replaceAll(/^/gm, "-").slice(0, -1)}`;
    const found = await drafted(intervention([{ patch: added("reward/new.py") }, { patch: remove }]));
    assert.equal(found.type, "sound", JSON.stringify(found));
    assert.equal(titleOf(found.draft.files), "reward/new.py: added, reward/score.py: removed");
  });

  it("may come after another patch of the same file", async () => {
    const found = await drafted(
      intervention([
        { patch: half },
        {
          patch:
            half
              .split("@@ -6")[0]
              ?.replace("1.0", "0.5")
              .replace("+        return 0.5", "+        return 0.25") ?? "",
        },
      ]),
    );
    assert.equal(
      found.type === "sound" ? found.draft.files[0]?.after?.includes("0.25") : found.problems,
      true,
    );
  });

  it("may be beside a parameter of the same factor, whose middle value is taken", async () => {
    const found = await drafted(
      intervention(
        [{ file: "train.yaml", path: "lr", range: [1e-6, 1e-4], scale: "log" }],
        "optimisation",
        "lr",
      ),
    );
    assert.equal(found.type, "sound", JSON.stringify(found));
    assert.deepEqual(found.draft.spec.edit, [{ file: "train.yaml", path: "lr", from: 1e-6, to: 1e-5 }]);
    assert.equal(titleOf(found.draft.files), "lr: 0.000001 → 0.00001");
  });

  const refused: Readonly<Record<string, readonly [patch: string, why: RegExp]>> = {
    "the evaluator": [
      one("eval/grade.py", "b = 1", "b = 2"),
      /^eval\/grade\.py must stay as it is in the parent, because it belongs to the evaluation\.$/,
    ],
    "the train split": [
      one("data/train.jsonl", "x", "y"),
      /data\/train\.jsonl must stay .* it is the train split/,
    ],
    "the audit split": [
      one("data/audit.jsonl", "x", "y"),
      /data\/audit\.jsonl must stay .* belongs to the evaluation/,
    ],
    "evotrainer.yaml": [
      one("evotrainer.yaml", "x", "y"),
      /evotrainer\.yaml must stay .* says how versions are measured/,
    ],
    "the ledger": [
      added(".git/refs/heads/evotrainer/ledger"),
      /^\.git\/refs\/heads\/evotrainer\/ledger must stay as it is in the parent, because git reads files with such names itself\.$/,
    ],
    "a record of EvoTrainer": [
      added(".evotrainer/records/x.json"),
      /\.evotrainer\/records\/x\.json must stay .* EvoTrainer keeps its records there/,
    ],
    "a hook": [added(".git/hooks/post-checkout"), /must stay .* git reads/],
    "git in other letters": [added("reward/.GIT/config"), /must stay .* git reads/],
    "git as Windows shortens it": [added("reward/git~1/config"), /must stay .* git reads/],
    "git with a character that is not seen": [added("reward/.g\u200cit/config"), /must stay .* git reads/],
    attributes: [
      added("reward/.gitattributes"),
      /^reward\/\.gitattributes must stay as it is in the parent, because git reads files with such names itself\.$/,
    ],
    "a submodule's file": [
      added("reward/vendor/x.py"),
      /^reward\/vendor\/x\.py must stay as it is in the parent, because it lies in the submodule reward\/vendor\.$/,
    ],
    "a link": [
      one("reward/linked.py", "x", "y"),
      /^reward\/linked\.py is a symbolic link; name the file that it leads to\.$/,
    ],
    "a file behind a link": [
      one("reward/away/tools.py", "a = 1", "a = 2"),
      /lies behind the symbolic link reward\/away/,
    ],
    "a path outside": [added("../x.py"), /"\.\.\/x\.py", which is not a file inside the project/],
    "an absolute path": [added("/tmp/x.py"), /not a file inside the project/],
    "a file on no surface": [
      added("lib/x.py"),
      /^lib\/x\.py is on no surface of the kind text, so no patch may change it\./,
    ],
    "a file whose values are a surface": [
      one("train.yaml", "lr: 1.0e-6", "lr: 1"),
      /train\.yaml is on no surface of the kind text/,
    ],
    "another factor": [
      one("env/tools.py", "a = 1", "a = 2"),
      /env\/tools\.py belongs to environment, but half says it changes reward/,
    ],
    "two factors": [
      half + one("env/tools.py", "a = 1", "a = 2"),
      /env\/tools\.py belongs to environment, but half says it changes reward; split it/,
    ],
    "a diagnostic": [added("reward/x.diagnostic.yaml"), /is a spec that only EvoTrainer reads/],
    "a file that is no UTF-8": [
      one("reward/latin.py", "# caf\ufffd", "# cafe"),
      /reward\/latin\.py is not a text in UTF-8/,
    ],
    "lines that are not there": [
      one("reward/score.py", "def other(x):", "def y(x):"),
      /does not apply: in reward\/score\.py hunk 1/,
    ],
    "a mode": [
      "diff --git a/reward/score.py b/reward/score.py\nold mode 100644\nnew mode 100755\n",
      /changes the mode/,
    ],
  };
  for (const [name, [patch, why]] of Object.entries(refused))
    it(`is refused if it touches ${name}, in one sentence`, async () => {
      const found = await drafted(intervention([{ patch }]));
      assert.equal(found.type, "refused", JSON.stringify(found));
      assert.match(problemsText(found.problems), why);
    });
});

describe("texts that a reviewer writes", () => {
  const problems = (path: string, after: string | null): Promise<string[]> =>
    outcomeProblems(source(), [{ path, before: files[path] ?? null, after }]);
  for (const [name, path, after, why] of [
    ["the evaluator", "eval/grade.py", "b = 2\n", /frozen/],
    ["attributes", "reward/.gitattributes", "* filter=x\n", /must stay as it is in the parent/],
    ["a file behind a link", "reward/away/x.py", "a\n", /behind the symbolic link/],
    ["a zero byte", "reward/score.py", "a\0b\n", /zero byte/],
    ["Windows line ends", "reward/score.py", "a\r\nb\n", /Windows line ends/],
  ] as const)
    it(`are held against the same list: ${name}`, async () =>
      assert.match((await problems(path, after)).join(" "), why));
  it("may change a file on the surface", async () =>
    assert.deepEqual(await problems("reward/score.py", score.replace("1.0", "0.7")), []));
});

describe("what a patch claims after its gate", () => {
  const spec = intervention([{ patch: half }]);
  const common = { at: "2026-01-01T00:00:00.000Z", domain: "d", version: "v4" };
  const proposedAs = "reward/score.py: +2 -2 lines (score, bonus)";
  const original = hypothesisEntry(spec, { ...common, title: proposedAs });
  const after = (text: string) =>
    claimsAfter(original, proposedAs, [{ path: "reward/score.py", before: score, after: text }], {
      ...common,
      id: "hypothesis:v4:1",
    });
  it("names the lines that change", () =>
    assert.equal(
      original.statement,
      `The change \`${proposedAs}\` should raise the solve rate: it pays too much`,
    ));
  it("holds of one of its hunks, which is named", () => {
    const { statement, speaksOf, predictedFixes } = after(score.replace("1.0", "0.5"));
    assert.equal(
      statement,
      `The change \`${proposedAs}\` should raise the solve rate: it pays too much (proposed as ${proposedAs}; it is reward/score.py: +1 -1 lines (score) now)`,
    );
    assert.deepEqual([speaksOf, predictedFixes], ["part", ["echo-trap"]]);
  });
  it("does not hold of what a person wrote instead", () => {
    const { statement, speaksOf, predictedFixes } = after(score.replace("1.0", "7.0"));
    assert.match(statement, /^Proposed for another change/);
    assert.deepEqual([speaksOf, predictedFixes], ["none", []]);
  });
});
