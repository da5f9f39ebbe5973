import assert from "node:assert/strict";
import { becauseOf } from "./because.ts";

describe("a reason behind a claim", () => {
  for (const [reason, said] of [
    ["it collapses", ": it collapses"],
    ["The score rises. It did before.", ": the score rises. It did before."],
    ["A rollout that tests sees more.", ": a rollout that tests sees more."],
    ["GRPO divides by the spread", ": GRPO divides by the spread"],
    ["Adam adapts", ": Adam adapts"],
    ["63 % of groups are dead", ": 63 % of groups are dead"],
    ["Easy items first give groups", ": easy items first give groups"],
    ["Staying near the start keeps it open", ": staying near the start keeps it open"],
    ["  ", ""],
  ] as const)
    it(`is "${said}" for "${reason}"`, () => assert.equal(becauseOf(reason), said));
});
