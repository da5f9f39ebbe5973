import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ProjectSpec } from "../../../../shared/spec/project.ts";
import { linksOnDisk } from "./links.ts";
import { frozenSurfaces } from "../surfaces.ts";

const project = (files: readonly string[], more: object = {}): ProjectSpec =>
  ProjectSpec.parse({
    ...{ apiVersion: "evotrainer/v1", kind: "Project", name: "p", domain: "d", trainer: { command: ["x"] } },
    evaluation: {
      splits: { train: "data/train.jsonl", selection: "data/selection.jsonl", audit: "data/audit.jsonl" },
      files: ["eval/grade.py", "shared/*.py", "protocol"],
    },
    surfaces: [{ factor: "reward", kind: "text", files }],
    ...more,
  });
const messages = (spec: ProjectSpec, links?: ReturnType<typeof linksOnDisk>): string[] =>
  frozenSurfaces(spec, links).map(({ message }) => message);

describe("a text surface", () => {
  const refused: Readonly<Record<string, readonly [pattern: string, why: RegExp]>> = {
    "is the evaluator": ["eval/grade.py", /eval\/grade\.py is frozen, because it belongs to the evaluation/],
    "covers the evaluator": [
      "eval/**",
      /^eval\/\*\* covers eval\/grade\.py, which no version may change, because it belongs to the evaluation: narrow it/,
    ],
    "is in the evaluation's folder": ["protocol/prompts/*.txt", /belongs to the evaluation \(protocol\)/],
    "covers the evaluation's folder": ["prot*", /prot\* covers protocol, .* belongs to the evaluation/],
    "covers evotrainer.yaml": [
      "*.yaml",
      /covers evotrainer\.yaml, .* because it says how versions are measured/,
    ],
    "covers the whole project": [".", /\. covers /],
    "is the train split": ["data/train.jsonl", /data\/train\.jsonl is frozen, because it is the train split/],
    "covers a split": ["data/*.jsonl", /covers data\/audit\.jsonl/],
    "is in other capitals": ["Eval/Grade.py", /belongs to the evaluation/],
    "is git's": [".git/hooks/*", /git reads files with such names itself/],
    "is a file of attributes": ["reward/.gitattributes", /git reads files with such names itself/],
    "is EvoTrainer's record": [".evotrainer/**", /EvoTrainer keeps its records there/],
    "is a diagnostic": ["harness/x.diagnostic.yaml", /a spec that only EvoTrainer reads/],
  };
  for (const [name, [pattern, why]] of Object.entries(refused))
    it(`is refused if it ${name}`, () => {
      const [message = "nothing", ...rest] = messages(project([pattern]));
      assert.match(message, why);
      assert.deepEqual(rest, []);
    });

  it("is refused if it covers a file that is frozen, or has frozen values", () => {
    const frozen = [{ file: "harness/train.yaml", paths: ["gpus"] }];
    assert.match(
      messages(project(["harness/*"], { frozen })).join(),
      /harness\/\* covers harness\/train\.yaml, .* because evotrainer\.yaml freezes it, or values in it/,
    );
  });

  it("may stand beside all of these", () =>
    assert.deepEqual(
      messages(project(["reward/*.py", "prompts/**", "eval-notes.md", "harness/grpo.py"])),
      [],
    ));

  describe("on disk", () => {
    let root = "";
    before(() => {
      root = mkdtempSync(join(tmpdir(), "evo-surfaces-"));
      const write = (path: string): void => {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), "x\n");
      };
      for (const path of ["reward/score.py", "prompts/a.txt", "prompts/.gitattributes", "shared/all.py"])
        write(path);
      symlinkSync("../eval/grade.py", join(root, "reward/grade.py"));
      symlinkSync("shared", join(root, "linked"));
      execFileSync("git", ["init", "--quiet", join(root, "vendor/lib")]);
      write("vendor/lib/x.py");
    });
    after(() => rmSync(root, { recursive: true, force: true }));
    const cases: readonly (readonly [string, string, RegExp])[] = [
      [
        "a file of attributes",
        "prompts/**",
        /covers prompts\/\.gitattributes, .* git reads files with such names/,
      ],
      ["a link to the evaluator", "reward/*", /covers reward\/grade\.py, .*belongs to the evaluation/],
      ["files of a pattern of the evaluation", "shared/**", /covers shared\/all\.py, .*\(shared\/\*\.py\)/],
      ["a folder that is a link into the evaluation", "linked/all.py", /linked\/all\.py is frozen/],
      ["a submodule", "vendor/**", /covers vendor\/lib, .* because it lies in the submodule vendor\/lib/],
      ["a file of a submodule", "vendor/lib/x.py", /because it lies in the submodule vendor\/lib/],
    ];
    for (const [name, pattern, why] of cases)
      it(`is refused if it covers ${name}`, () =>
        assert.match(messages(project([pattern]), linksOnDisk(root)).join() || "nothing", why));
    it("may cover what is nobody else's", () =>
      assert.deepEqual(messages(project(["reward/score.py", "prompts/*.txt"]), linksOnDisk(root)), []));
  });
});
