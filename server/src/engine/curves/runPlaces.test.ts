import assert from "node:assert/strict";
import { placeOf } from "./runPlaces.ts";

type Placed = Parameters<typeof placeOf>[0] extends ReadonlyMap<string, infer P> ? P : never;

describe("the terms that a version's reward has", () => {
  const version = (name: string, parent: string | null, more: Partial<Placed> = {}): [string, Placed] => [
    name,
    { name, parent, factor: null, title: `what ${name} changes`, ...more },
  ];
  const versions = new Map([
    version("v0", null),
    version("v1", "v0"),
    version("v2", "v1", { factor: "reward" }),
    version("v3", "v2", { factor: "sampling" }),
    version("v4", "v1", { factor: "sampling" }),
    version("v5", "v4", { merges: "v2" }),
    version("a", "b", { factor: "data" }),
    version("b", "a", { factor: "data" }),
  ]);
  for (const [name, of, change] of [
    ["v1", "v0", ""],
    ["v2", "v2", "what v2 changes"],
    ["v3", "v2", "what v2 changes"],
    ["v4", "v0", ""],
    ["v5", "v5", "what v5 changes"],
  ] as const)
    it(`are those of ${of} in ${name}`, () =>
      assert.deepEqual(placeOf(versions, name).terms, { of, change }));
  it("are found in a circle, and unknown of an unknown version", () => {
    assert.equal(placeOf(versions, "a").parent, "b");
    assert.deepEqual(placeOf(versions, "gone"), {});
  });
});
