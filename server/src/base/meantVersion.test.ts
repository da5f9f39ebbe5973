import assert from "node:assert/strict";
import { meantVersion } from "./meantVersion.ts";

const names = ["v0", "v1", "v2-linear-shape", "v5-history", "v5-history.clean", "v6-a", "v6-b", "v6-b.clean"];

describe("the version that is meant", () => {
  for (const [asked, meant] of [
    ["v1", "v1"],
    ["v2", "v2-linear-shape"],
    ["v2-linear", "v2-linear-shape"],
    ["v5", "v5-history"],
    ["v5-history.clean", "v5-history.clean"],
    ["v5-hi", "v5-history"],
  ] as const)
    it(`is ${meant} for ${asked}`, () => assert.equal(meantVersion(asked, names), meant));

  for (const [asked, reason, message] of [
    ["v6", "badInput", /^v6 matches several versions: v6-a, v6-b; write the whole name\.$/],
    ["v9", "notFound", /^There is no version v9; there are: v0, v1, .*\.clean\.$/],
    ["v2-liner-shape", "notFound", /Did you mean v2-linear-shape\?$/],
    ["", "notFound", /there are: v0/],
  ] as const)
    it(`is none for "${asked}", which is said with what there is`, () =>
      assert.throws(() => meantVersion(asked, names), { reason, message }));

  it("begins within a word, but not within a number", () => {
    assert.equal(meantVersion("hec", ["hecate_2", "v10-a"]), "hecate_2");
    assert.throws(() => meantVersion("v1", ["hecate_2", "v10-a"]), { reason: "notFound" });
  });

  it("begins within a hash, which is no number", () => {
    assert.equal(meantVersion("1_8", ["1_8601a960", "1"]), "1_8601a960");
    assert.throws(() => meantVersion("run_1", ["run_10", "run_12a"]), { reason: "notFound" });
  });

  it("is none where there are none, which is said with what to do", () =>
    assert.throws(() => meantVersion("v1", []), {
      message: /^There is no version v1, and no other yet: run/,
    }));

  it("names no more than twenty", () =>
    assert.throws(
      () =>
        meantVersion(
          "x",
          Array.from({ length: 23 }, (_, i) => `v${i}`),
        ),
      { message: /v19 and 3 more\.$/ },
    ));
});
