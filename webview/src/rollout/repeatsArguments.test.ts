import assert from "node:assert/strict";
import { repeatsArguments } from "./repeatsArguments.ts";

const args = { file: "labels.mini", line: 13, text: "let rest = start + start" };

describe("a text beside the arguments of a call", () => {
  for (const [what, turn, expected] of [
    ["the call in the trainer's notation", "edit labels.mini:13  let rest = start + start", true],
    ["its arguments as JSON", JSON.stringify(args, null, 1), true],
    ["its values alone", "labels.mini 13 let rest = start + start", true],
    ["a thought before the call", "Line 13 is wrong. edit labels.mini:13  let rest = start + start", false],
    ["a call of other values", "edit labels.mini:14  let rest = start + start", false],
    ["a call with one more value", "edit labels.mini:13  let rest = start + start now", false],
    ["a call that leaves a value out", "edit labels.mini  let rest = start + start", false],
    ["nothing", "", false],
  ] as const)
    it(`${expected ? "repeats them" : "says more, or something else,"} where it is ${what}`, () =>
      assert.equal(repeatsArguments({ tool: "edit", text: turn, args }), expected));

  it("repeats a value where it is that value alone, and nothing where there are no arguments", () => {
    assert.equal(repeatsArguments({ tool: "bash", text: "ls -l\n", args: { command: "ls -l" } }), true);
    assert.equal(repeatsArguments({ tool: "submit", text: "submit", args: {} }), false);
    assert.equal(repeatsArguments({ text: "submit" }), false);
  });
});
