import assert from "node:assert/strict";
import { isShown, stepsOf } from "./page.ts";

describe("the steps of a page", () => {
  it("are its files and commands in order, without what is for the reader only", () => {
    const page = [
      "# Title",
      "Save this as `data/a.jsonl`:",
      "",
      "```jsonl",
      '{"a": 1}',
      "```",
      "",
      "```console",
      "$ evotrainer import data",
      "1 rollout",
      "",
      "$ evotrainer rollouts",
      "```",
      "<!-- not tried: needs a cluster -->",
      "```sh",
      "evotrainer evolve --host gpu1",
      "```",
      "```sh",
      "# first this",
      "evotrainer check   # every spec",
      "```",
      "```yaml",
      "a: 1",
      "```",
    ].join("\n");
    assert.deepEqual(stepsOf(page), [
      { type: "file", line: 4, path: "data/a.jsonl", text: '{"a": 1}\n' },
      { type: "command", line: 9, command: "evotrainer import data", shown: ["1 rollout", ""] },
      { type: "command", line: 12, command: "evotrainer rollouts", shown: [] },
      { type: "command", line: 20, command: "evotrainer check", shown: null },
    ]);
  });

  it("cannot begin with output", () => {
    assert.throws(() => stepsOf("```console\n1 rollout\n```"), /^Error: Line 1: a block of the language/);
  });
});

describe("the output that a page shows", () => {
  const cases: readonly (readonly [shown: string, printed: string, isRight: boolean])[] = [
    ["a b", "a b\n", true],
    ["a b\n", "a b", true],
    ["a b", "a c", false],
    ["a b", "a b\nmore", false],
    ["a b\nmore", "a b", false],
    ["", "", true],
    ["", "a", false],
    ["took … s", "took 1.5 s", true],
    ["took … s", "took 1.5 min", false],
    ["(1.5)", "(1x5)", false],
    ["a\n…\nd", "a\nb\nc\nd", true],
    ["a\n…\nd", "a\nd", true],
    ["a\n…\nd", "a\nb\nc", false],
    ["a\n…", "a", true],
    ["…", "anything\nat all", true],
    ["…\nlast", "anything\nlast\nbut one", false],
  ];
  for (const [shown, printed, isRight] of cases)
    it(`${JSON.stringify(shown)} is ${isRight ? "" : "not "}what ${JSON.stringify(printed)} is`, () => {
      assert.equal(isShown(printed.split("\n"), shown.split("\n")), isRight);
    });
});
