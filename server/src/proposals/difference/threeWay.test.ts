import assert from "node:assert/strict";
import { change } from "../../../../test/support/proposals/fileChange.ts";
import { mergeThreeWay } from "./threeWay.ts";

const config = "shape: flat # how\nbonus: 0\nhistory: hidden\n";
const text = "one\ntwo\nthree\nfour\nfive\n";

describe("a three-way merge", () => {
  for (const [what, path, base, ours, theirs, expected] of [
    [
      "neighbouring values, and keeps comments",
      "c.yaml",
      config,
      config.replace("flat", "linear"),
      config.replace("bonus: 0", "bonus: 1"),
      "shape: linear # how\nbonus: 1\nhistory: hidden\n",
    ],
    [
      "the same change on both sides, once",
      "c.yaml",
      config,
      config.replace("flat", "linear").replace("hidden", "seen"),
      config.replace("flat", "linear").replace("bonus: 0", "bonus: 1"),
      "shape: linear # how\nbonus: 1\nhistory: seen\n",
    ],
    [
      "a value that is added",
      "c.yaml",
      config,
      config.replace("flat", "linear"),
      `${config}speed: fast\n`,
      "shape: linear # how\nbonus: 0\nhistory: hidden\nspeed: fast\n",
    ],
    [
      "lines of a text that lie apart",
      "prompt.txt",
      text,
      text.replace("one", "1"),
      text.replace("five", "5"),
      "1\ntwo\nthree\nfour\n5\n",
    ],
    ["a file that only theirs adds", "new.txt", null, null, "new\n", "new\n"],
  ] as const)
    it(`takes ${what}`, () => {
      const own = ours === base ? [] : [change(path, base, ours)];
      const merged = mergeThreeWay(own, [change(path, base, theirs)]);
      assert.deepEqual(merged, { type: "merged", files: [{ path, before: ours, after: expected }] });
    });

  for (const [what, path, base, ours, theirs, place] of [
    [
      "a value that both change otherwise",
      "c.yaml",
      config,
      config.replace("flat", "linear"),
      config.replace("flat", "binary"),
      "shape in c.yaml",
    ],
    [
      "a value below one that the other replaces",
      "c.yaml",
      "a: { b: 1 }\n",
      "a: 2\n",
      "a: { b: 3 }\n",
      "a.b in c.yaml",
    ],
    [
      "lines that touch",
      "prompt.txt",
      text,
      text.replace("two", "2"),
      text.replace("three", "3"),
      "prompt.txt",
    ],
    ["a file that one side removes", "prompt.txt", text, null, text.replace("five", "5"), "prompt.txt"],
  ] as const)
    it(`refuses ${what}`, () => {
      const merged = mergeThreeWay([change(path, base, ours)], [change(path, base, theirs)]);
      assert.deepEqual(merged, { type: "conflict", places: [place] });
    });

  it("changes nothing where ours has all of theirs", () => {
    const both = change("c.yaml", config, config.replace("flat", "linear"));
    assert.deepEqual(mergeThreeWay([both], [both]), { type: "merged", files: [] });
  });
});
