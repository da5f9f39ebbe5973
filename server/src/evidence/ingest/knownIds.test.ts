import assert from "node:assert/strict";
import { KnownIds } from "./knownIds.ts";

const add = (known: KnownIds, run: string, id: string): boolean => known.add(run, Buffer.from(id));

describe("known ids", () => {
  it("are those seen before in the same run", () => {
    const known = new KnownIds();
    const all = ["a", "b"].flatMap((run) =>
      Array.from({ length: 20_000 }, (_, i) => [run, `id-${i}`] as const),
    );
    assert.deepEqual(
      all.filter(([run, id]) => add(known, run, id)),
      [],
    );
    assert.deepEqual(
      all.filter(([run, id]) => !add(known, run, id)),
      [],
    );
    assert.equal(add(known, "a", "id-20000"), false);
    assert.deepEqual(
      [add(known, "ab", "c"), add(known, "a", "bc"), add(known, "a", "cb")],
      [false, false, false],
    );
  });

  it("are dropped when there are too many, and then every run has to be looked up", () => {
    const known = new KnownIds(100);
    known.begin("a", true);
    known.begin("b", false);
    for (let i = 0; i < 100; i++) add(known, "a", `${i}`);
    assert.deepEqual([known.isWhole("a"), known.isWhole("b"), known.isWhole("c")], [true, false, undefined]);
    add(known, "a", "one more");
    assert.deepEqual([known.isWhole("a"), known.isWhole("b")], [false, false]);
  });
});
