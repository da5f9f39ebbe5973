import assert from "node:assert/strict";
import type { Flip } from "../../../shared/protocol/results/pairedComparison.ts";
import { itemSides } from "./itemsMoved.ts";

const rollout = (id: string) => ({ run: "v2.selection.s1", id });
const flip = (item: string, direction: Flip["direction"], isParted = true): Flip => ({
  ...{ item, direction },
  before: { pass: 0, fail: 8, unknown: 0 },
  after: { pass: 8, fail: 0, unknown: 0 },
  divergence: isParted ? { before: rollout("a"), after: rollout("b"), first: null } : null,
});
const flipped = { fixed: 43, broken: 3, same: 74, p: 0.001 };

describe("what became of the items", () => {
  it("is told of both sides, each with one of which two rollouts part", () =>
    assert.deepEqual(
      itemSides({
        flipped,
        flips: [flip("i1", "fixed"), flip("i2", "broken", false), flip("i3", "broken"), flip("i4", "fixed")],
      }).map(({ direction, count, example }) => [direction, count, example?.item]),
      [
        ["fixed", 43, "i1"],
        ["broken", 3, "i3"],
      ],
    ));
  it("has an item whose rollouts were not compared where there is no other, and none where none is listed", () =>
    assert.deepEqual(
      itemSides({ flipped, flips: [flip("i2", "broken", false)] }).map(({ example }) => example?.item),
      [undefined, "i2"],
    ));
  it("is nothing where no item changed", () =>
    assert.deepEqual(itemSides({ flipped: { ...flipped, fixed: 0, broken: 0 }, flips: [] }), []));
});
