import assert from "node:assert/strict";
import { HarnessError } from "../../base/errors.ts";
import { parseGuardrail } from "./compareFlags.ts";

describe("parseGuardrail", () => {
  for (const [text, expected] of [
    ["solve_rate 0.02", { metric: "solve_rate", tolerance: 0.02 }],
    ["echo-trap 2%", { metric: "echo-trap", tolerance: 0.02 }],
    ["  reward_mean higher .5 ", { metric: "reward_mean", tolerance: 0.5, better: "higher" }],
    ["tokens_mean lower 50", { metric: "tokens_mean", tolerance: 50, better: "lower" }],
    ["pass@4 0", { metric: "pass@4", tolerance: 0 }],
  ] as const)
    it(`reads ${text}`, () => assert.deepEqual(parseGuardrail(text), expected));
  for (const text of [
    "",
    "solve_rate",
    "solve_rate -1",
    "solve_rate NaN",
    "a b c",
    "0.5",
    "x 1e400",
    "x worse 1",
  ])
    it(`refuses ${JSON.stringify(text)}`, () =>
      assert.throws(
        () => parseGuardrail(text),
        (e) => HarnessError.is(e, "badInput"),
      ));
});
