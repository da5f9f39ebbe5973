import assert from "node:assert/strict";
import { KnownIds } from "./knownIds.ts";

describe("known ids", () => {
  it("tell ids that are new from those that were there, by run", () => {
    const known = new KnownIds();
    const all = ["a", "b"].flatMap((run) =>
      Array.from({ length: 20_000 }, (_, i) => [run, `id-${i}`] as const),
    );
    assert.deepEqual(
      all.filter(([run, id]) => known.add(run, id)),
      [],
    );
    assert.deepEqual(
      all.filter(([run, id]) => !known.add(run, id)),
      [],
    );
    assert.equal(known.add("a", "id-20000"), false);
    assert.deepEqual(
      [known.add("ab", "c"), known.add("a", "bc"), known.add("a", "cb")],
      [false, false, false],
    );
  });

  it("are given up when there are too many, and every run is then to be looked up", () => {
    const known = new KnownIds(100);
    known.begin("a", true);
    known.begin("b", false);
    for (let i = 0; i < 100; i++) known.add("a", `${i}`);
    assert.deepEqual([known.isWhole("a"), known.isWhole("b"), known.isWhole("c")], [true, false, undefined]);
    known.add("a", "one more");
    assert.deepEqual([known.isWhole("a"), known.isWhole("b")], [false, false]);
  });
});
