import assert from "node:assert/strict";
import { chooseParents } from "./parents.ts";

const kept = [
  { name: "v1", parent: "v0", score: 0.3 },
  { name: "v2", parent: "v1", score: 0.5 },
  { name: "v3", parent: "v1", score: 0.45 },
  { name: "v5", parent: "v2", score: 0.6 },
];
const choose = (failuresInARow: number, exhausted: readonly string[] = [], champion = "v5"): string[] =>
  chooseParents({ champion, kept, failuresInARow, exhausted }).map(({ parent }) => parent);

describe("the versions that changes are made from", () => {
  it("are the best kept one alone, until two versions in a row were not kept", () => {
    assert.deepEqual(choose(0), ["v5"]);
    assert.deepEqual(choose(1), ["v5"]);
  });
  it("then include the kept version that it was made from, with the reason", () => {
    const [best, other] = chooseParents({ champion: "v5", kept, failuresInARow: 3, exhausted: [] });
    assert.deepEqual([best?.parent, best?.why, other?.parent], ["v5", null, "v2"]);
    assert.match(other?.why ?? "", /made from v2 instead of v5, because 3 versions in a row were not kept/);
  });
  it("are the best of the others where nothing is left to try on that one", () =>
    assert.deepEqual(choose(2, ["v2"]), ["v5", "v3"]));
  it("leave out the best one where nothing is left to try on it", () => {
    assert.deepEqual(choose(0, ["v5"]), ["v2"]);
    assert.deepEqual(choose(0, ["v5", "v2", "v3"]), ["v1"]);
  });
  it("are none where nothing is left to try on any", () =>
    assert.deepEqual(choose(9, ["v1", "v2", "v3", "v5"]), []));
  it("do not include a version that was reverted: it is not among those that stand", () =>
    assert.deepEqual(choose(2, [], "v3"), ["v3", "v1"]));
});
