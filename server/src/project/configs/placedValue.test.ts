import assert from "node:assert/strict";
import { scalarOf, setPlaced, wordOf, type PlacedFormat } from "./placedValue.ts";

describe("a value that is found by where it is written", () => {
  const format = (spell: (value: unknown) => string): PlacedFormat => ({
    values: (text) =>
      [...text.matchAll(/x=(\w+)/g)].map(({ index, 0: all, 1: word = "" }) => ({
        ...{ path: "x", value: scalarOf(word) },
        ...{ start: index + 2, end: index + all.length },
      })),
    spell,
  });
  const set = (spell: (value: unknown) => string): string =>
    setPlaced(format(spell), "a x=1 b", { path: "x", from: 1, to: 2 });

  it("is set in place", () => assert.equal(set(String), "a x=2 b"));
  it("is not set where that would change more, or come to another value", () => {
    assert.throws(
      () => set((value) => `${String(value)} rm`),
      /x cannot be set to 2 in this file; edit it by hand\./,
    );
    assert.throws(() => set(() => "3"), /x cannot be set to 2 in this file/);
  });

  for (const [value, old, expected] of [
    [2e-6, "1e-6", "2e-6"],
    [1.5e-7, "1E-6", "1.5e-7"],
    [10, "5", "10"],
    [0, "1e-6", "0"],
    [false, "True", "False"],
    [true, "false", "true"],
    [null, "None", "None"],
    [null, "1", "null"],
  ] as const)
    it(`is written like the one before: ${String(value)} for ${old}`, () =>
      assert.equal(wordOf(value, old), expected));
});
