import assert from "node:assert/strict";
import fc from "fast-check";
import { Name } from "../../../../shared/spec/common.ts";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import type { ForeignLineage, ForeignNode } from "../adapters/foreign.ts";
import { domainName, placeNodes, type PlacedTree } from "./importTree.ts";

const node = (
  key: string,
  parents: readonly string[] = [],
  more: Partial<ForeignNode> = {},
): ForeignNode => ({
  key,
  parents,
  title: key,
  at: null,
  metrics: {},
  primary: null,
  status: null,
  decision: null,
  reason: "",
  failure: null,
  files: {},
  commit: null,
  unknowns: [],
  from: { file: "f", line: null },
  ...more,
});
const lineage = (
  nodes: readonly ForeignNode[],
  gaps: Readonly<Record<string, string>> = {},
): ForeignLineage => ({
  name: "l",
  format: "x",
  nodes,
  metrics: {},
  problems: [],
  missing: [],
  notes: [],
  gaps,
  repository: null,
});
const place = (nodes: readonly ForeignNode[], gaps = {}): PlacedTree =>
  placeNodes(lineage(nodes, gaps), new Map(), new Set());
const shape = (tree: PlacedTree): string[] =>
  tree.placed.map((p) => `${p.name}<${p.parents.join("+")}:${p.generation}${p.missing ? "!" : ""}`);

describe("placeNodes", () => {
  for (const [what, nodes, expected] of [
    [
      "puts parents first and otherwise keeps the order",
      [node("c", ["b"]), node("b", ["a"]), node("a"), node("d")],
      ["a<:0", "b<a:1", "c<b:2", "d<:0"],
    ],
    ["accepts two parents", [node("a"), node("b"), node("m", ["a", "b"])], ["a<:0", "b<:0", "m<a+b:1"]],
    [
      "makes a placeholder for a missing parent",
      [node("b", ["a"]), node("c", ["a"])],
      ["missing-a<:0!", "b<missing-a:1", "c<missing-a:1"],
    ],
    ["ignores a repeated node", [node("a"), node("a")], ["a<:0"]],
  ] as const)
    it(what, () => assert.deepEqual(shape(place(nodes)), expected));

  it("says what the lineage says about a missing parent", () => {
    const { placed, gaps } = place([node("b", ["start"])], { start: "Not in the log." });
    assert.equal(placed[0]?.name, "start");
    assert.equal(placed[0].node.reason, "Not in the log.");
    assert.deepEqual(gaps, ["start"]);
  });
  it("leaves out a circle by name, and attaches its descendants to a placeholder", () => {
    const tree = place([
      node("a", ["b"]),
      node("b", ["c"]),
      node("c", ["a"]),
      node("d", ["a"]),
      node("e", ["e"]),
    ]);
    assert.deepEqual(
      tree.problems.map((p) => p.reason),
      [
        "a circle of parents: a -> b -> c -> a; these nodes were left out",
        "a circle of parents: e -> e; these nodes were left out",
      ],
    );
    assert.deepEqual(shape(tree), ["missing-a<:0!", "d<missing-a:1"]);
    assert.match(tree.placed[0]?.node.reason ?? "", /circle/);
  });
  it("keeps the first of two nodes with one id, and says so", () =>
    assert.match(
      place([node("a"), node("a", [], { title: "other" })]).problems[0]?.reason ?? "",
      /second node a/,
    ));
  it("keeps copies under new ids", () => {
    const tree = place([node("a", [], { files: { p: "1" } }), node("b", ["a"], { files: { p: "1" } })]);
    assert.deepEqual([tree.placed.length, tree.twins], [2, 1]);
  });
  it("makes names that refs can hold, and keeps similar names different", () => {
    const names = place([
      node("Run A"),
      node("run a"),
      node("~:&"),
      node("x".repeat(80)),
      node("日本"),
    ]).placed.map((p) => p.name);
    assert.equal(names[0], "run-a");
    assert.match(names[1] ?? "", /^run-a-[0-9a-f]{8}$/);
    assert.equal(new Set(names).size, 5);
    for (const name of names) assert.ok(Name.safeParse(name).success, name);
  });
  it("keeps the names of earlier imports", () => {
    const tree = placeNodes(
      lineage([node("new", ["old"]), node("new2", ["gone"])]),
      new Map([
        ["old", { name: "v-old", generation: 4 }],
        ["gone", { name: "v-gone", generation: 1 }],
      ]),
      new Set(["v-old", "v-gone", "new"]),
    );
    assert.match(tree.placed[0]?.name ?? "", /^new-[0-9a-f]{8}$/);
    assert.deepEqual(
      tree.placed.map((p) => [p.parents[0], p.generation]),
      [
        ["v-old", 5],
        ["v-gone", 2],
      ],
    );
  });

  it("places each node of any graph or reports it, parents before children, names unique", () => {
    const key = fc.oneof(
      fc.constantFrom("a", "b", "c", "missing:a", "missing-a", "A", "__proto__", "constructor", ""),
      fc.string({ maxLength: 6 }),
    );
    const graph = fc.array(fc.record({ key, parents: fc.array(key, { maxLength: 3 }) }), { maxLength: 12 });
    fc.assert(
      fc.property(graph, (nodes) => {
        const tree = place(nodes.map((n) => node(n.key, n.parents)));
        const seen = new Set<string>();
        for (const p of tree.placed) {
          assert.ok(Name.safeParse(p.name).success, p.name);
          assert.ok(!seen.has(p.name));
          assert.ok(p.parents.every((parent) => seen.has(parent)));
          assert.equal(p.parents.length, new Set(p.node.parents).size);
          seen.add(p.name);
        }
        const placed = new Set(tree.placed.filter((p) => !p.missing).map((p) => p.node.key));
        const circles = tree.problems.map((p) => p.reason).join("\n");
        for (const n of nodes) assert.ok(placed.has(n.key) || circles.includes(n.key));
      }),
      { numRuns: fuzzRuns() },
    );
  });
});

describe("domainName", () => {
  for (const [text, name] of [
    ["My Run (2)", "my-run-2"],
    ["--x--", "x"],
    ["9b", "9b"],
  ] as const)
    it(text, () => assert.equal(domainName(text), name));
  it("makes a name for a text without letters", () =>
    assert.match(domainName("日本"), /^import-[0-9a-f]{8}$/));
});
