import assert from "node:assert/strict";
import type { Scalar } from "../../../shared/spec/common.ts";
import { Edit } from "../../../shared/spec/edit.ts";
import { HarnessError } from "../base/errors.ts";
import { valuesOf, withValues, type Domain } from "./parameters.ts";

describe("valuesOf", () => {
  const lr: Domain = { range: [1e-6, 1e-4], scale: "log" };
  const cases: readonly (readonly [string, Domain, Scalar | undefined, number, readonly Scalar[]])[] = [
    ["the middle of a range", { range: [0, 1] }, 0.1, 1, [0.5]],
    ["the ends of a range", { range: [0, 1] }, 0.1, 2, [0, 1]],
    ["an even spread", { range: [0, 1] }, 0.1, 5, [0, 0.25, 0.5, 0.75, 1]],
    ["another place for the current value", { range: [0, 1] }, 0.5, 1, [0]],
    ["a spread without the current value", { range: [0, 1] }, 0.5, 3, [0, 0.333, 0.667]],
    ["the geometric middle of a log range", lr, 3e-6, 1, [1e-5]],
    ["a log spread", lr, undefined, 3, [1e-6, 1e-5, 1e-4]],
    ["whole numbers", { range: [4, 16], whole: true }, 8, 3, [4, 10, 16]],
    ["each whole number once", { range: [1, 3], whole: true }, 2, 9, [1, 3]],
    ["whole numbers inside of the ends", { range: [0.5, 3.5], whole: true }, 2, 2, [1, 3]],
    ["the middle choice", { choices: ["flat", "linear", "binary", "ranked"] }, "flat", 1, ["binary"]],
    ["all other choices", { choices: [true, false] }, true, 5, [false]],
    ["choices from end to end", { choices: [1, 2, 3, 4, 5, 6] }, 1, 2, [2, 6]],
    ["nothing of one choice", { choices: ["a", "a"] }, "a", 3, []],
    ["nothing of none", { range: [0, 1] }, 0.1, 0, []],
  ];
  for (const [name, domain, current, count, expected] of cases)
    it(`gives ${name}`, () => assert.deepEqual(valuesOf(domain, current, count), expected));
  it("gives the same answer twice", () => assert.deepEqual(valuesOf(lr, 3e-6, 7), valuesOf(lr, 3e-6, 7)));
});

describe("a parameter edit", () => {
  const at = { file: "c.yaml", path: "lr" };
  const refusals: readonly (readonly [string, object, RegExp])[] = [
    ["neither range nor choices", {}, /either range or choices/],
    ["both", { range: [0, 1], choices: [1, 2] }, /either range or choices/],
    ["an empty range", { range: [1, 1] }, /smaller than the second/],
    ["a log range from 0", { range: [0, 1], scale: "log" }, /begins above 0/],
    ["a scale of choices", { choices: [1, 2], scale: "log" }, /choices have none/],
    ["a range without whole numbers", { range: [0.1, 0.9], whole: true }, /fewer than two whole/],
  ];
  for (const [name, domain, why] of refusals)
    it(`is refused with ${name}`, () => {
      const { error } = Edit.safeParse({ ...at, ...domain });
      assert.match(JSON.stringify(error?.issues), why);
    });

  const source = (text: string | undefined) => ({ read: () => Promise.resolve(text) });
  it("takes the middle value where nobody has chosen one", async () => {
    const edits = [Edit.parse({ ...at, range: [1e-6, 1e-4], scale: "log" })];
    assert.deepEqual(await withValues(edits, source("lr: 1.0e-6\n")), [{ ...at, from: 1e-6, to: 1e-5 }]);
  });
  for (const [name, text, why] of [
    ["a file that is not there", undefined, /c\.yaml, which the parent does not have/],
    ["a path that is not there", "x: 1\n", /no value at lr in c\.yaml/],
    ["a range of a text", "lr: fast\n", /a range is for numbers/],
  ] as const)
    it(`is refused for ${name}`, () =>
      assert.rejects(
        withValues([Edit.parse({ ...at, range: [1, 2] })], source(text)),
        (e) => e instanceof HarnessError && why.test(e.message),
      ));
});
