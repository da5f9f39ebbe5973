import assert from "node:assert/strict";
import { decisions, type Decision, type LineageVersion } from "../../../shared/protocol/lineage.ts";
import { edgePath, layoutLineage, neighbour, placeOf, rowAt, rowHeight, scoreExtent } from "./layout.ts";
import { shapes } from "./shapes.ts";
import { intervalText, rowLabel, scoreText } from "./text.ts";

/** `v1<v0:keep` is a version v1 with parent v0 that was kept; oldest first, as the lineage gives them. */
function versions(text: string): LineageVersion[] {
  return text.split(" ").map((part): LineageVersion => {
    const [names = "", decision = "keep"] = part.split(":");
    const [name = "", parent = null] = names.split("<");
    const known: Decision = decisions.find((d) => d === decision) ?? "keep";
    return {
      name,
      parent,
      decision: known,
      commit: name,
      factor: null,
      title: "",
      score: null,
      low: null,
      high: null,
      reason: "",
      labels: [],
      at: "",
    };
  });
}

/** The graph as text: one line per row, the version in its lane. */
const drawn = (text: string) =>
  layoutLineage(versions(text)).rows.map(({ lane, version }) => `${"·".repeat(lane)}${version.name}`);

describe("layout of the lineage", () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["a straight line", "v0:base v1<v0 v2<v1", ["v2", "v1", "v0"]],
    ["a rejected side branch", "v0:base v1<v0:reject v2<v0", ["v2", "·v1", "v0"]],
    ["two rejected siblings in two lanes", "v0:base a<v0:reject b<v0:reject c<v0", ["c", "·b", "··a", "v0"]],
    [
      "a lane that is free again",
      "v0:base a<v0:reject v1<v0 b<v1:reject v2<v1",
      ["v2", "·b", "v1", "·a", "v0"],
    ],
    ["a side branch of two", "v0:base a<v0:reject b<a:reject v1<v0", ["v1", "·b", "·a", "v0"]],
    ["newest rejected: the kept line stays first", "v0:base v1<v0 x<v1:reject", ["·x", "v1", "v0"]],
    ["none kept", "a:pending b<a:pending", ["b", "a"]],
    ["a parent that is not there", "v0:base x<gone:reject", ["·x", "v0"]],
  ];
  for (const [name, text, expected] of cases) it(name, () => assert.deepEqual(drawn(text), expected));

  it("draws an edge to every parent that is there, downwards", () => {
    const { edges, rows, height } = layoutLineage(versions("v0:base v1<v0 x<v0:reject y<gone"));
    assert.deepEqual(edges.map(({ id }) => id).sort(), ["v1", "x"]);
    assert.ok(edges.every(({ from, to }) => to.y > from.y));
    assert.equal(height, rows.length * rowHeight);
  });

  it("lets no two branches overlap in a lane", () => {
    const text = Array.from({ length: 60 }, (_, i) =>
      i === 0 ? "v0:base" : `v${i}<v${Math.floor(i / 3)}:${i % 3 ? "reject" : "keep"}`,
    ).join(" ");
    const { rows, edges } = layoutLineage(versions(text));
    assert.equal(rows.length, 60);
    for (const edge of edges)
      for (const { x, y, version } of rows)
        assert.ok(
          x !== edge.from.x ||
            y <= edge.from.y ||
            y >= edge.to.y ||
            (edge.from.x === edge.to.x && edge.from.x === 16),
          `${edge.id} runs through ${version.name}`,
        );
  });

  it("survives repeated names and circles", () => {
    assert.deepEqual(drawn("a<b b<a").length, 2);
    assert.deepEqual(drawn("a a<a").length, 1);
    assert.deepEqual(layoutLineage([]), { rows: [], edges: [], width: 32, height: 0 });
  });

  it("draws paths of numbers", () => {
    for (const edge of layoutLineage(versions("v0:base a<v0:reject v1<v0")).edges)
      assert.match(edgePath(edge), /^M[\d.,VC -]+$/);
  });
});

describe("place in the lineage", () => {
  const before = layoutLineage(versions("v0:base v1<v0 v2<v1"));
  const after = layoutLineage(versions("v0:base v1<v0 v2<v1 v3<v2 v4<v3"));
  it("is that of the row at the upper edge", () => {
    const anchor = rowAt(before, rowHeight + 7);
    assert.deepEqual(anchor, { name: "v1", past: 7 });
    assert.equal(placeOf(after, anchor), 3 * rowHeight + 7);
  });
  it("is the top for one who is at the top", () => assert.equal(rowAt(before, 0), undefined));
  it("is left alone when its row is gone or was never there", () => {
    assert.equal(placeOf(after, { name: "gone", past: 1 }), undefined);
    assert.equal(rowAt(before, 1000), undefined);
  });
});

describe("keys in the lineage", () => {
  const layout = layoutLineage(versions("v0:base v1<v0:reject v2<v0 v3<v2"));
  const cases: readonly (readonly [string | null, string, string | undefined])[] = [
    [null, "ArrowDown", "v3"],
    ["v3", "ArrowUp", "v3"],
    ["v3", "ArrowDown", "v2"],
    ["v1", "ArrowLeft", "v0"],
    ["v0", "ArrowLeft", undefined],
    ["v0", "ArrowRight", "v2"],
    ["v3", "ArrowRight", undefined],
    ["v3", "End", "v0"],
    ["v0", "Home", "v3"],
    ["v0", "x", undefined],
  ];
  for (const [from, key, to] of cases)
    it(`${key} at ${from ?? "nothing"} leads to ${to ?? "nothing"}`, () =>
      assert.equal(neighbour(layout, from, key), to));
});

describe("words of the lineage", () => {
  const version = (score: number | null, low: number | null, high: number | null): LineageVersion => {
    const [made] = versions("v1<v0:invalid");
    assert.ok(made);
    return { ...made, score, low, high };
  };
  it("writes an even interval as ± and any other by its ends", () => {
    assert.equal(intervalText(version(0.363, 0.331, 0.395)), "±\u00A03.2");
    assert.equal(intervalText(version(0.363, 0.33, 0.41)), "[33.0, 41.0]");
    assert.equal(intervalText(version(0.363, null, 0.41)), "");
    assert.equal(scoreText(version(null, null, null)), "–");
  });
  it("says all columns of a row", () =>
    assert.equal(rowLabel(version(0.5, null, null)), "v1, invalid, 50.0\u00A0%"));
  it("gives all scores one scale", () => {
    assert.equal(scoreExtent([version(null, null, null)]), undefined);
    assert.deepEqual(scoreExtent([version(0.3, 0.2, 0.4), version(0.5, null, null)]), [0.2, 0.5]);
    assert.deepEqual(scoreExtent([version(0.5, null, null)]), [0.49, 0.51]);
  });
  it("gives every decision a look of its own", () => {
    const pairs = decisions.map((d) => [shapes[d].type, shapes[d].open] as const);
    for (const [i, [type, open]] of pairs.entries())
      for (const [other, otherOpen] of pairs.slice(i + 1)) assert.ok(type !== other || open !== otherOpen);
  });
});
