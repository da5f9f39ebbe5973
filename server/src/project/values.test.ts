import assert from "node:assert/strict";
import { HarnessError } from "../base/errors.ts";
import { readValue, replaceValue } from "./values.ts";

const text = `# reward of the policy
components:
  correctness: { shape: flat, weight: 1 }  # tiers
  bonus: {weight: 0.10}
name: "yes"
`;
const edit = (
  path: string,
  from: string | number,
  to: string | number | boolean,
): Parameters<typeof replaceValue>[1] => ({ file: "r.yaml", path, from, to });

describe("readValue", () => {
  for (const [path, value] of [
    ["components.correctness.shape", "flat"],
    ["components.bonus.weight", 0.1],
    ["name", "yes"],
    ["components", undefined],
    ["nowhere.at.all", undefined],
  ] as const)
    it(`reads ${path}`, () => assert.equal(readValue(text, path), value));
  it("reads nothing from a broken text", () => assert.equal(readValue("a: [", "a"), undefined));
});

describe("replaceValue", () => {
  it("changes one value and keeps comments and spacing", () =>
    assert.equal(
      replaceValue(text, edit("components.correctness.shape", "flat", "linear")),
      text.replace("shape: flat", "shape: linear"),
    ));
  it("quotes what YAML would read as something else", () => {
    const changed = replaceValue(text, edit("name", "yes", "true"));
    assert.equal(readValue(changed, "name"), "true");
  });
  for (const [what, bad, says] of [
    [
      "a path that is missing",
      edit("components.nothing.shape", "flat", "linear"),
      /no value at components\.nothing\.shape/,
    ],
    [
      "a parent that has another value",
      edit("components.correctness.shape", "binary", "linear"),
      /is flat, not binary/,
    ],
    ["a path to a map", edit("components.correctness", "flat", "linear"), /no value at/],
  ] as const)
    it(`refuses ${what}`, () =>
      assert.throws(
        () => replaceValue(text, bad),
        (e) => HarnessError.is(e, "specInvalid") && says.test(e.message),
      ));
});
