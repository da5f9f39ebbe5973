import assert from "node:assert/strict";
import { becauseOf } from "./because.ts";

describe("a reason behind a claim", () => {
  for (const [reason, said] of [
    ["it collapses", " because it collapses"],
    ["The score rises. It did before.", " because the score rises. It did before."],
    ["A rollout that tests sees more.", " because a rollout that tests sees more."],
    ["GRPO divides by the spread", ": GRPO divides by the spread"],
    ["Adam adapts", ": Adam adapts"],
    ["63 % of groups are dead", " because 63 % of groups are dead"],
    ["  ", ""],
  ] as const)
    it(`is "${said}" for "${reason}"`, () => assert.equal(becauseOf(reason), said));
});
