import assert from "node:assert/strict";
import { chmodSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTestRepository, type TestRepository } from "../../../../test/support/lineage/repository.ts";
import { openRepository } from "../../lineage/repository.ts";
import { measuredFiles, measuredOn } from "./evaluationIdentity.ts";
import { whyNotComparable } from "./identityDifference.ts";

const spec = `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, trainer.mjs], seeds: [1], budgetSeconds: 60 }
evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
  files: [trainer.mjs, judge]
surfaces:
  - { factor: reward, file: harness/toy.yaml, paths: [shape] }
  - { factor: environment, file: harness/prompt.txt }
`;
const files: Readonly<Record<string, string>> = {
  "evotrainer.yaml": spec,
  "trainer.mjs": "1\n",
  "judge/deep/rules.txt": "strict\n",
  "lib/tools.py": "pass\n",
  "harness/toy.yaml": "shape: flat # why\nsteps: 4\nrun_name: a\n",
  "harness/prompt.txt": "Solve it.\n",
  "harness/diagnostics/leak.diagnostic.yaml": "x\n",
  "data/train.jsonl": '{"id":"t"}\n',
  "data/selection.jsonl": '{"id":"s"}\n',
  "data/audit.jsonl": '{"id":"a"}\n',
  "README.md": "# Toy\n",
};

describe("what a version is measured on", () => {
  let made: TestRepository;
  beforeEach(() => (made = makeTestRepository(files)));
  afterEach(() => made.dispose());

  /** Why the first commit and one with a change cannot be compared. */
  async function after(change: () => void): Promise<string | undefined> {
    const first = made.git("rev-parse", "HEAD");
    change();
    const second = made.commit();
    const repository = await openRepository(made.root);
    const basis = async (version: string, commit: string) => {
      const measured = await measuredFiles(repository, commit);
      return { version, files: measured, measuredOn: measuredOn(measured, {}) };
    };
    const [one, other] = [await basis("v1", first), await basis("v2", second)];
    const why = whyNotComparable(one, other);
    assert.equal(why === undefined, one.measuredOn.digest === other.measuredOn.digest);
    return why;
  }
  const write = (path: string, text: string) => () => made.write(path, text);
  const edit = (from: string, to: string) => write("evotrainer.yaml", spec.replace(from, to));

  const differing: Readonly<Record<string, [() => void, RegExp]>> = {
    "an item": [write("data/selection.jsonl", '{"id":"easy"}\n'), /: data\/selection\.jsonl differs\. /],
    "an item of the audit split": [write("data/audit.jsonl", "\n"), /: data\/audit\.jsonl differs\. /],
    "the evaluator": [write("trainer.mjs", "2\n"), /: trainer\.mjs differs\. /],
    "a file in the evaluator's folder": [
      write("judge/deep/rules.txt", "lax\n"),
      /: judge\/deep\/rules\.txt differs/,
    ],
    "a new file in that folder": [write("judge/more.txt", "x\n"), /: judge\/more\.txt differs/],
    "a file that became a program": [
      () => chmodSync(join(made.root, "trainer.mjs"), 0o755),
      /trainer\.mjs differs/,
    ],
    "a file that became a link": [
      () => {
        rmSync(join(made.root, "lib/tools.py"));
        symlinkSync("../trainer.mjs", join(made.root, "lib/tools.py"));
      },
      /: lib\/tools\.py differs/,
    ],
    "a library beside the evaluator": [write("lib/tools.py", "cheat\n"), /: lib\/tools\.py differs/],
    "training data on no surface": [write("data/train.jsonl", "\n"), /: data\/train\.jsonl differs/],
    "a value on no surface": [
      write("harness/toy.yaml", "shape: flat\nsteps: 8\n"),
      /: harness\/toy\.yaml differs/,
    ],
    seeds: [edit("seeds: [1]", "seeds: [1, 2]"), /: trainer\.seeds\.1 in evotrainer\.yaml differs/],
    "how many rollouts an item gets": [
      edit("files: [trainer.mjs, judge]", "files: [trainer.mjs, judge]\n  samples: 4"),
      /: evaluation\.samples in evotrainer\.yaml differs/,
    ],
    "a limit": [
      edit("budgetSeconds: 60", "budgetSeconds: 61"),
      /: trainer\.budgetSeconds in evotrainer\.yaml differs/,
    ],
    "the command": [
      edit("trainer.mjs], seeds", "trainer.mjs, --easy], seeds"),
      /: trainer\.command\.2 in evotr/,
    ],
    "the metric": [
      edit("surfaces:", "metric: { aggregator: micro }\nsurfaces:"),
      /: metric\.aggregator in evotr/,
    ],
    "several things": [
      () => {
        for (const path of ["data/selection.jsonl", "data/audit.jsonl", "trainer.mjs", "lib/a", "lib/b"])
          made.write(path, "other\n");
      },
      /: data\/audit\.jsonl, data\/selection\.jsonl, trainer\.mjs and 2 more differ\. /,
    ],
  };
  for (const [what, [change, expected]] of Object.entries(differing))
    it(`differs with ${what}, which is named`, async () => {
      const why = await after(change);
      assert.match(why ?? "nothing", expected);
      assert.match(
        why ?? "",
        /^v1 and v2 cannot be compared, because they were not measured on the same things: /,
      );
    });

  const same: Readonly<Record<string, () => void>> = {
    "a value of a surface, and a comment": write(
      "harness/toy.yaml",
      "# new\nsteps: 4\nshape: linear\nrun_name: a\n",
    ),
    "a name of runs": write("harness/toy.yaml", "shape: flat\nsteps: 4\nrun_name: b\n"),
    "the file of a surface": write("harness/prompt.txt", "Think.\n"),
    "a diagnostic": write("harness/diagnostics/leak.diagnostic.yaml", "y\n"),
    "what people read": write("README.md", "# Other\n"),
    "what only the loop needs": edit("surfaces:", "budgets: { generations: 9 }\nsurfaces:"),
    "attributes, which checkouts do not use": write(".gitattributes", "*.jsonl text eol=crlf\n"),
  };
  for (const [what, change] of Object.entries(same))
    it(`is the same with another version of ${what}`, async () =>
      assert.equal(await after(change), undefined));

  it("is read from git's objects: a file in the work tree, or a replaced object, changes nothing", async () => {
    const repository = await openRepository(made.root);
    const head = made.git("rev-parse", "HEAD");
    const before = measuredOn(await measuredFiles(repository, head), {}).digest;
    writeFileSync(join(made.root, "data/selection.jsonl"), '{"id":"easy"}\n');
    const easy = made.git("hash-object", "-w", "data/selection.jsonl");
    made.git("replace", made.git("rev-parse", "HEAD:data/selection.jsonl"), easy);
    const again = await openRepository(made.root);
    assert.equal(measuredOn(await measuredFiles(again, head), {}).digest, before);
  });

  it("takes in a library beside the project in a larger repository", async () => {
    for (const [path, text] of Object.entries(files)) made.write(`toy/${path}`, text);
    const commits = [made.commit()];
    made.write("lib/tools.py", "cheat\n");
    commits.push(made.commit());
    const repository = await openRepository(join(made.root, "toy"));
    const [one, other] = await Promise.all(commits.map((commit) => measuredFiles(repository, commit)));
    assert.notEqual(one?.environment.get("../lib/tools.py"), other?.environment.get("../lib/tools.py"));
    assert.deepEqual(one?.items, other?.items);
  });

  it("differs with data that git does not have", async () => {
    const repository = await openRepository(made.root);
    const measured = await measuredFiles(repository, made.git("rev-parse", "HEAD"));
    const basis = (version: string, digit: string) => ({
      ...{ version, files: measured },
      measuredOn: measuredOn(measured, { "corpus/big.bin": digit.repeat(64) }),
    });
    assert.equal(whyNotComparable(basis("v1", "0"), basis("v2", "0")), undefined);
    assert.match(whyNotComparable(basis("v1", "0"), basis("v2", "1")) ?? "", /: corpus\/big\.bin differs\. /);
  });

  it("names the part where a commit is gone", async () => {
    const repository = await openRepository(made.root);
    const measured = await measuredFiles(repository, made.git("rev-parse", "HEAD"));
    made.write("data/selection.jsonl", "\n");
    const other = await measuredFiles(repository, made.commit());
    const gone = { version: "v1", files: undefined, measuredOn: measuredOn(measured, {}) };
    const there = { version: "v2", files: other, measuredOn: measuredOn(other, {}) };
    assert.match(whyNotComparable(gone, there) ?? "", /: the items of a split differ\. /);
  });
});
