import assert from "node:assert/strict";
import { scaleOf, spaceHeight, windowOf } from "./virtualList.ts";

describe("the rows of a list to draw", () => {
  const rowHeight = 20;
  const height = 100;
  const cases: readonly (readonly [string, number, number, readonly [number, number]])[] = [
    ["are none when the list is empty", 0, 0, [0, 0]],
    ["are all rows of a short list", 4, 0, [0, 4]],
    ["are the first ones and some below", 1000, 0, [0, 22]],
    ["include some above and below the view", 1000, 10_000, [492, 514]],
    ["are as many at the end", 1000, 1000 * rowHeight - height, [978, 1000]],
    ["are as many beyond the end", 1000, 10 ** 9, [978, 1000]],
  ];
  for (const [name, rows, top, [first, end]] of cases)
    it(name, () => assert.deepEqual(windowOf({ rows, rowHeight, height, top }), { first, end }));
});

describe("the scroll bar of a list", () => {
  it("has a pixel for each pixel of the list as long as a browser can draw that many", () => {
    const million = { rows: 1_000_000, rowHeight: 26, height: 800 };
    assert.equal(spaceHeight(million), 26_000_000);
    assert.equal(scaleOf(million), 1);
    assert.equal(scaleOf({ rows: 3, rowHeight: 26, height: 800 }), 1);
  });

  it("reaches the last row of a longer list", () => {
    const long = { rows: 10_000_000, rowHeight: 26, height: 800 };
    const mostBar = spaceHeight(long) - long.height;
    const top = mostBar * scaleOf(long);
    assert.equal(Math.round(top), long.rows * long.rowHeight - long.height);
    assert.equal(windowOf({ ...long, top }).end, long.rows);
  });
});
