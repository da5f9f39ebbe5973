import assert from "node:assert/strict";
import { Remembered } from "./remembered.ts";

describe("what is remembered", () => {
  it("is made once for each key, false and undefined too", () => {
    const made: string[] = [];
    const remembered = new Remembered<boolean | undefined>(3);
    const of = (key: string, result: boolean | undefined): boolean | undefined =>
      remembered.of(key, () => {
        made.push(key);
        return result;
      });
    assert.deepEqual(
      [of("a", false), of("b", undefined), of("a", true), of("b", true)],
      [false, undefined, false, undefined],
    );
    assert.deepEqual(made, ["a", "b"]);
  });

  it("is forgotten when it was asked for longest ago and there is no room", () => {
    const remembered = new Remembered<number>(2);
    let made = 0;
    const of = (key: string): number => remembered.of(key, () => ++made);
    assert.deepEqual([of("a"), of("b"), of("a"), of("c"), of("a"), of("b")], [1, 2, 1, 3, 1, 4]);
  });

  it("is not kept when making it fails", () => {
    const remembered = new Remembered<number>(2);
    assert.throws(() =>
      remembered.of("a", () => {
        throw new Error("no");
      }),
    );
    assert.equal(
      remembered.of("a", () => 7),
      7,
    );
  });
});
