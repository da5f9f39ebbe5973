import assert from "node:assert/strict";
import { readValue } from "./values.ts";

const text = `# reward of the policy
components:
  correctness: { shape: flat, weight: 1 }  # tiers
  bonus: {weight: 0.10}
name: "yes"
`;
describe("readValue", () => {
  for (const [path, value] of [
    ["components.correctness.shape", "flat"],
    ["components.bonus.weight", 0.1],
    ["name", "yes"],
    ["components", undefined],
    ["nowhere.at.all", undefined],
  ] as const)
    it(`reads ${path}`, () => assert.equal(readValue(text, path), value));
  it("returns nothing for a broken text", () => assert.equal(readValue("a: [", "a"), undefined));
});
