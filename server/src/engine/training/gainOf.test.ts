import assert from "node:assert/strict";
import { isSwitch } from "./gainOf.ts";

describe("a change of the environment", () => {
  it("is a switch if it is no number, or if a number is 0 before or after it", () => {
    const changes = [
      [false, true],
      ["hidden", "visible"],
      [undefined, 3],
      [0, 1],
      [1, 0],
      [0, 0.5],
    ];
    for (const [from, to] of changes) assert.equal(isSwitch({ from, to }), true, `${from} → ${to}`);
  });

  it("is none if a limit is another one", () => {
    for (const [from, to] of [
      [12, 20],
      [1, 2],
      [0.5, -1],
    ])
      assert.equal(isSwitch({ from, to }), false, `${from} → ${to}`);
  });
});
