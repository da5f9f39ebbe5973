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
  for (const [text, says] of [
    [
      "tokens_mean 10%",
      /tokens_mean is not a share, so it takes no percentage; write how much higher .* 'tokens_mean 50'/,
    ],
    ["reward_mean higher 5 %", /reward_mean is not a share.* how much lower .* 'reward_mean 0\.1'/],
  ] as const)
    it(`refuses ${text}, and says what to write`, () =>
      assert.throws(
        () => parseGuardrail(text),
        (e) => HarnessError.is(e, "badInput") && says.test(e.message),
      ));
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
