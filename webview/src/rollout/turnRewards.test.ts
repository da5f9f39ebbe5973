import assert from "node:assert/strict";
import { turnRewards } from "./turnRewards.ts";

const turns = ["user", "assistant", "tool", "assistant"].map((role) => ({ role, text: "" }));

describe("the rewards of turns", () => {
  const cases: readonly (readonly [string, unknown, readonly (readonly [number, number])[]])[] = [
    [
      "one number for each turn",
      [0, 0.5, null, 1],
      [
        [0, 0],
        [1, 0.5],
        [3, 1],
      ],
    ],
    [
      "one number for each turn of the policy",
      [0.5, -1],
      [
        [1, 0.5],
        [3, -1],
      ],
    ],
    ["a list of the wrong length", [1, 2, 3], []],
    ["no numbers", ["a", "b"], []],
    ["nothing", undefined, []],
  ];
  for (const [name, given, expected] of cases)
    it(`are right for ${name}`, () => {
      assert.deepEqual([...turnRewards({ turns, extra: { step_rewards: given } })], expected);
    });
});
