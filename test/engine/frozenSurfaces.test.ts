import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { evotrainer } from "./cli.ts";
import { makeEvolvedProject } from "./finishedProject.ts";
import { makeToyProject, toyFiles } from "./toyProject.ts";

const spec = toyFiles["evotrainer.yaml"] ?? "";
const git = (cwd: string, ...args: string[]): unknown =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], { cwd });

describe("a surface that is part of the evaluation", function () {
  this.timeout(120_000);
  const made: string[] = [];
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });

  /** How the evaluation comes to cover harness/toy.yaml, which is a surface. */
  const ways: Readonly<Record<string, { files: string; lay?: (root: string) => void; because: RegExp }>> = {
    "in a folder": { files: "harness", because: /belongs to the evaluation \(harness\)/ },
    "by a pattern": { files: "'harness/*.yaml'", because: /belongs to the evaluation \(harness\/\*\.yaml\)/ },
    "in another case": {
      files: "Harness/Toy.yaml",
      because: /belongs to the evaluation \(Harness\/Toy\.yaml\)/,
    },
    "over a link": {
      files: "eval.yaml",
      lay: (root) => symlinkSync("harness/toy.yaml", join(root, "eval.yaml")),
      because: /eval\.yaml, a link that belongs to the evaluation, leads to it/,
    },
    "through a linked folder": {
      files: "eval/toy.yaml",
      lay: (root) => symlinkSync("harness", join(root, "eval")),
      because: /eval, a link that belongs to the evaluation, leads to it/,
    },
  };
  for (const [way, { files, lay, because }] of Object.entries(ways))
    it(`${way} is refused by check and evolve in the same words, before anything is trained`, () => {
      const changed = spec.replace("files: [trainer.mjs]", `files: [trainer.mjs, ${files}]`);
      const root = makeToyProject({ "evotrainer.yaml": changed });
      made.push(root);
      lay?.(root);
      git(root, "add", "--all");
      git(root, "commit", "--quiet", "--allow-empty", "--message", "frozen");
      const checked = evotrainer(root, "check");
      assert.equal(checked.code, 1, checked.stdout);
      const sentence = /harness\/toy\.yaml is frozen, because .*/.exec(checked.stdout)?.[0] ?? "nothing";
      assert.match(sentence, because);
      const ran = evotrainer(root, "evolve");
      assert.equal(ran.code, 1, ran.stderr);
      assert.ok(ran.stderr.includes(sentence.replace(/ \(frozen-surface\)$/, "")), ran.stderr);
      assert.equal(existsSync(join(root, ".evotrainer/runs")), false);
    });

  it("as a text, by a pattern that covers what is measured with, is refused by check and evolve in the same words", () => {
    const text = '  - { factor: environment, kind: text, files: ["*.mjs"] }\ngates:';
    const root = makeToyProject({ "evotrainer.yaml": spec.replace("gates:", text) });
    made.push(root);
    const sentence =
      "*.mjs covers trainer.mjs, which no version may change, because it belongs to the evaluation: narrow it in `surfaces` in evotrainer.yaml, or move the file.";
    const checked = evotrainer(root, "check");
    assert.ok(
      checked.code === 1 && checked.stdout.includes(`error: ${sentence} (frozen-surface)`),
      checked.stdout,
    );
    const ran = evotrainer(root, "evolve");
    assert.ok(ran.code === 1 && ran.stderr.includes(sentence), ran.stderr);
    assert.equal(existsSync(join(root, ".evotrainer/runs")), false);
  });

  it("is refused by propose in the same words", () => {
    const root = makeEvolvedProject();
    made.push(root);
    const text = readFileSync(join(root, "evotrainer.yaml"), "utf8");
    writeFileSync(
      join(root, "evotrainer.yaml"),
      text.replace("files: [trainer.mjs]", "files: [trainer.mjs, harness]"),
    );
    git(root, "commit", "--quiet", "--all", "--message", "frozen");
    const sentence = /harness\/toy\.yaml is frozen, because .*\.yaml\./.exec(
      evotrainer(root, "check").stdout,
    )?.[0];
    const asked = evotrainer(root, "propose", "--parent", "v1", "--intervention", "faster");
    assert.notEqual(asked.code, 0, asked.stdout);
    assert.ok(
      sentence !== undefined && asked.stderr.includes(sentence),
      `${sentence ?? ""} | ${asked.stderr}`,
    );
  });
});
