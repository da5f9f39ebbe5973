import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { evaluationPaths, findChangedEvaluation, findChangedPath, hashEvaluation } from "./evaluatorHash.ts";
import { testProject, testProjectFiles } from "../../../../test/support/runner/project.ts";

describe("the evaluation hash", () => {
  let folder: string;
  const project = testProject();
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "evotrainer-hash-")));
    for (const [path, content] of Object.entries(testProjectFiles())) write(path, content);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("covers exactly the declared files, folders and splits", async () => {
    assert.deepEqual(evaluationPaths(project), [
      "data/audit.jsonl",
      "data/selection.jsonl",
      "data/train.jsonl",
      "eval",
    ]);
    const before = await hashEvaluation(folder, project);
    assert.deepEqual(Object.keys(before).sort(), [
      "data/audit.jsonl",
      "data/selection.jsonl",
      "data/train.jsonl",
      "eval",
      "eval/check.sh",
      "eval/deep",
      "eval/deep/table.txt",
    ]);
    write("harness/main.yaml", "shape: binary\n");
    assert.equal(await findChangedEvaluation(folder, project, before), undefined);
    assert.deepEqual(await hashEvaluation(folder, project), before);
  });

  const outside = realpathSync(tmpdir());
  const changes: [string, string, () => void][] = [
    ["a changed file in a deep folder", "eval/deep/table.txt", () => write("eval/deep/table.txt", "2\n")],
    ["a changed split", "data/audit.jsonl", () => write("data/audit.jsonl", '{"id":"a2"}\n')],
    ["a new file", "eval", () => write("eval/extra", "")],
    ["a deleted split", "data/train.jsonl", () => rmSync(join(folder, "data/train.jsonl"))],
    ["a deleted folder", "eval", () => rmSync(join(folder, "eval"), { recursive: true })],
    [
      "a file that became a link to the same content outside",
      "eval/check.sh",
      () => {
        rmSync(join(folder, "eval/check.sh"));
        symlinkSync(join(outside, "anything"), join(folder, "eval/check.sh"));
      },
    ],
    [
      "a file that became a link inside",
      "eval/check.sh",
      () => {
        rmSync(join(folder, "eval/check.sh"));
        symlinkSync("../train.sh", join(folder, "eval/check.sh"));
      },
    ],
  ];
  for (const [name, path, change] of changes)
    it(`shows ${name}`, async () => {
      const before = await hashEvaluation(folder, project);
      change();
      assert.equal(await findChangedEvaluation(folder, project, before), path);
    });

  const isInvalid = (pattern: RegExp) => (e: unknown) =>
    HarnessError.is(e, "projectInvalid") && pattern.test(e.message);
  it("refuses links that leave the checkout, missing files and special files", async () => {
    const missing = testProject({ files: ["nothing"] });
    await assert.rejects(hashEvaluation(folder, missing), isInvalid(/nothing does not exist/));
    symlinkSync(outside, join(folder, "eval/out"));
    await assert.rejects(hashEvaluation(folder, project), isInvalid(/eval\/out is a link that leads out/));
    rmSync(join(folder, "eval/out"));
    symlinkSync("..", join(folder, "eval/loop"));
    symlinkSync("nowhere", join(folder, "dangling"));
    await hashEvaluation(folder, project);
    await assert.rejects(hashEvaluation(folder, testProject({ files: ["dangling"] })), isInvalid(/dangling/));
  });

  it("shows a change behind a link inside the checkout", async () => {
    write("shared/table.txt", "1\n");
    symlinkSync("../shared/table.txt", join(folder, "eval/linked"));
    const before = await hashEvaluation(folder, project);
    write("shared/table.txt", "2\n");
    assert.equal(await findChangedEvaluation(folder, project, before), "shared/table.txt");
  });

  it("is compared path by path", () => {
    assert.equal(findChangedPath({ a: "1", b: "2" }, { b: "2", a: "1" }), undefined);
    assert.equal(findChangedPath({ a: "1" }, { a: "1", b: "2" }), "b");
    assert.equal(findChangedPath({ a: "1", b: "2" }, { b: "3" }), "a");
  });
});
