import assert from "node:assert/strict";
import { namedTurns } from "./namedTurns.ts";

describe("the turns that a reader is sent to", () => {
  for (const [what, labels, expected] of [
    ["none without labels", [], []],
    ["none of labels that no turn shows", [[], []], []],
    ["the ends and the middle of a streak", [[4, 5, 6, 7, 8, 9]], [4, 7, 9]],
    ["the first of each label before a second of any", [[8, 9], [2, 3], [5]], [2, 5, 8]],
    ["each turn once", [[1], [1, 6]], [1, 6]],
    ["three, the most severe labels first", [[1], [2], [3], [0]], [1, 2, 3]],
  ] as const)
    it(`are ${what}`, () => assert.deepEqual(namedTurns(labels.map((turns) => ({ turns }))), expected));
});
