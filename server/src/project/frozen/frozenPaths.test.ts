import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { frozenBy } from "./frozenPaths.ts";
import { linksIn, linksOnDisk } from "./links.ts";

const evaluationOf = (files: readonly string[]) => ({
  evaluation: {
    splits: { train: "data/train.jsonl", selection: "data/selection.jsonl", audit: "data/audit.jsonl" },
    files: [...files],
  },
});

/** What is declared, the links of the project, a file, and why it is frozen; null where it is not. */
const cases: readonly [string, readonly string[], Readonly<Record<string, string>>, string, RegExp | null][] =
  [
    ["a file", ["eval.py"], {}, "eval.py", /^it belongs to the evaluation$/],
    ["a split", [], {}, "data/audit.jsonl", /^it belongs to the evaluation$/],
    ["the train split", [], {}, "data/train.jsonl", null],
    ["another file", ["eval.py"], {}, "eval.pyc", null],
    [
      "a file in a folder",
      ["harness/eval"],
      {},
      "harness/eval/deep/k.yaml",
      /the evaluation \(harness\/eval\)/,
    ],
    [
      "a folder that is written with a slash",
      ["harness/eval/"],
      {},
      "harness/eval/k.yaml",
      /harness\/eval\/\)/,
    ],
    ["a neighbour of a folder", ["harness/eval"], {}, "harness/evaluate.yaml", null],
    ["a path with ./ and a doubled slash", ["./harness//eval.yaml"], {}, "harness/eval.yaml", /belongs/],
    ["a surface with ./", ["harness/eval.yaml"], {}, "./harness/./eval.yaml", /belongs/],
    ["another case", ["Harness/Eval.yaml"], {}, "harness/eval.yaml", /\(Harness\/Eval\.yaml\)/],
    ["another form of a letter", ["e\u0301val.yaml"], {}, "\u00e9val.yaml", /belongs/],
    ["the whole project", ["."], {}, "harness/main.yaml", /belongs/],
    ["a pattern", ["harness/*.yaml"], {}, "harness/eval.yaml", /\(harness\/\*\.yaml\)/],
    ["a pattern, of one folder", ["harness/*.yaml"], {}, "harness/deep/eval.yaml", null],
    ["a pattern over folders", ["**/eval.{yaml,json}"], {}, "a/b/eval.json", /belongs/],
    ["a pattern of letters", ["eval[0-9].py"], {}, "eval7.py", /belongs/],
    ["a pattern of folders", ["harness/ev?l"], {}, "harness/eval/k.yaml", /belongs/],
    ["a pattern with a dot", ["a.yaml?"], {}, "abyaml1", null],
    [
      "what a link leads to",
      ["eval.yaml"],
      { "eval.yaml": "harness/main.yaml" },
      "harness/main.yaml",
      /^eval\.yaml, a link/,
    ],
    ["the link itself", ["eval.yaml"], { "eval.yaml": "harness/main.yaml" }, "eval.yaml", /belongs/],
    [
      "what a link of a link leads to",
      ["a/one"],
      { "a/one": "two", "a/two": "../harness/./main.yaml" },
      "harness/main.yaml",
      /^a\/two, a link/,
    ],
    [
      "what lies in a linked folder",
      ["eval"],
      { eval: "harness/real" },
      "harness/real/k.yaml",
      /^eval, a link/,
    ],
    [
      "a file through a linked folder",
      ["eval/k.yaml"],
      { eval: "harness/real" },
      "harness/real/k.yaml",
      /^eval, a link/,
    ],
    [
      "what a link in a frozen folder leads to",
      ["harness/eval"],
      { "harness/eval/k.yaml": "../main.yaml" },
      "harness/main.yaml",
      /^harness\/eval\/k\.yaml, a link/,
    ],
    [
      "what a link of a pattern leads to",
      ["harness/*.yaml"],
      { "harness/k.yaml": "../main.yaml", "other/k.yaml": "../free.yaml" },
      "main.yaml",
      /^harness\/k\.yaml, a link/,
    ],
    [
      "what a link beside a pattern leads to",
      ["harness/*.yaml"],
      { "harness/k.json": "../main.yaml" },
      "main.yaml",
      null,
    ],
    ["a pattern behind a link", ["eval/*.yaml"], { eval: "real" }, "real/k.yaml", /belongs/],
    ["a surface that is a link", ["eval.yaml"], { "main.yaml": "eval.yaml" }, "main.yaml", /belongs/],
    [
      "a link out of the project",
      ["eval.yaml"],
      { "eval.yaml": "../lib/eval.yaml" },
      "../lib/eval.yaml",
      /a link/,
    ],
    ["a link to a folder above it", ["eval"], { "eval/loop": ".." }, "main.yaml", null],
    ["links in a circle", ["a"], { a: "b", b: "a" }, "c", null],
  ];

describe("what belongs to the evaluation", () => {
  for (const [what, files, links, file, expected] of cases) {
    it(`${expected === null ? "leaves" : "is"} ${what}, by the links of a commit`, () => {
      const by = frozenBy(evaluationOf(files), linksIn(new Map(Object.entries(links))))(file);
      if (expected === null) assert.equal(by, undefined);
      else assert.match(by ?? "nothing", expected);
    });
    it(`${expected === null ? "leaves" : "is"} ${what}, by the links on disk`, () => {
      const root = mkdtempSync(join(tmpdir(), "evo-links-"));
      try {
        for (const path of [...Object.keys(links), file])
          mkdirSync(dirname(join(root, path)), { recursive: true });
        for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));
        if (!(file in links) && !file.startsWith("..")) writeFileSync(join(root, file), "");
        const by = frozenBy(evaluationOf(files), linksOnDisk(root))(file);
        if (expected === null) assert.equal(by, undefined);
        else assert.match(by ?? "nothing", expected);
      } finally {
        rmSync(root, { recursive: true });
      }
    });
  }
});
