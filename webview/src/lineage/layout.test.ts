import assert from "node:assert/strict";
import { decisionLooks } from "../../../shared/words/decisions.ts";
import { decisions, type Decision, type LineageVersion } from "../../../shared/protocol/views/lineage.ts";
import { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import { testPage, testTable, testVersion } from "../../../test/support/lineage/lineageTable.ts";
import { layoutLineage, mostLanes, rowAfter, rowBeside, scoreExtent, type SideStep } from "./layout.ts";
import { generationText, intervalText, labelsText, rowLabel, scoreText } from "./text.ts";
import { shownVersions } from "./visible.ts";

/** `v1<v0:keep@2` is a version v1 of generation 2 with parent v0 that was kept; oldest first, as the lineage gives them. */
function versions(text: string): LineageVersion[] {
  return text.split(" ").map((part, i): LineageVersion => {
    const [said = "", generation = `${i}`] = part.split("@");
    const [names = "", decision = "keep"] = said.split(":");
    const [name = "", parent = null] = names.split("<");
    const known: Decision = decisions.find((d) => d === decision) ?? "keep";
    return testVersion(name, { parent, decision: known, generation: Number(generation) });
  });
}

function laidOut(text: string, { query = "", folded = false, hidden = [] as string[] } = {}) {
  const table = testTable(versions(text));
  const { indices, isGraph } = shownVersions(table, { query, scope: null, hidden });
  return { table, layout: layoutLineage(table, indices, { isGraph, isFolded: () => folded }) };
}

/** The graph as text, a line per row: ● is the version, │ a line that runs through, ┘ one that ends in it, ┆ a broken one below. */
function drawn(text: string, options: Parameters<typeof laidOut>[1] = {}): string[] {
  const { table, layout } = laidOut(text, options);
  return [...layout.items].map((item, row) => {
    let line = "";
    for (let lane = 0; lane < layout.lanes; lane++) {
      const bit = 1 << lane;
      if (lane === layout.lane[row]) line += item < 0 ? "◍" : "●";
      else if (((layout.ending[row] ?? 0) & bit) !== 0) line += "┘";
      else if (((layout.through[row] ?? 0) & bit) !== 0)
        line += ((layout.broken[row] ?? 0) & bit) !== 0 ? "┆" : "│";
      else line += " ";
    }
    return `${line} ${item < 0 ? `generation ${layout.generations[-1 - item]?.generation ?? ""}` : (table.name[item] ?? "")}`;
  });
}

describe("the layout of the lineage", () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["a straight line", "v0:base v1<v0 v2<v1", ["● v2", "● v1", "● v0"]],
    ["a rejected side branch", "v0:base v1<v0:reject v2<v0", ["●  v2", "│● v1", "●┘ v0"]],
    [
      "two rejected siblings in two lanes",
      "v0:base a<v0:reject b<v0:reject c<v0",
      ["●   c", "│●  b", "││● a", "●┘┘ v0"],
    ],
    [
      "a lane that becomes free again",
      "v0:base a<v0:reject v1<v0 b<v1:reject v2<v1",
      ["●  v2", "│● b", "●┘ v1", "│● a", "●┘ v0"],
    ],
    [
      "a side branch of two versions",
      "v0:base a<v0:reject b<a:reject v1<v0",
      ["●  v1", "│● b", "│● a", "●┘ v0"],
    ],
    ["newest rejected: the kept line stays first", "v0:base v1<v0 x<v1:reject", [" ● x", "●┘ v1", "●  v0"]],
    ["no version kept", "a:pending b<a:pending", ["● b", "● a"]],
    ["a missing parent", "v0:base x<gone:reject", [" ● x", "●  v0"]],
  ];
  for (const [name, text, expected] of cases) it(name, () => assert.deepEqual(drawn(text), expected));

  const family = "v0:base@0 a<v0:reject@1 b<v0:reject@1 v1<v0@1 c<v1:reject@2 v2<v1@2";
  it("puts a heading on a generation of several versions, and draws lines through it", () =>
    assert.deepEqual(drawn(family), [
      "    generation 2",
      "●   v2",
      "│●  c",
      "│┘  generation 1".replace("┘", "│"),
      "●┘  v1",
      "│●  b",
      "││● a",
      "●┘┘ v0",
    ]));
  it("folds a generation into its heading", () =>
    assert.deepEqual(drawn(family, { folded: true }), ["◍ generation 2", "◍ generation 1", "● v0"]));
  it("breaks a line where the filter hides the versions between", () =>
    assert.deepEqual(
      drawn("v0:base v1<v0 x<v1:reject v2<v1 v3<v2", { query: "-status:reject -status:base" }),
      ["● v3", "● v2", "● v1"],
    ));
  it("bridges filtered versions with a broken line", () => {
    const { layout } = laidOut("v0:base v1<v0:reject v2<v1 v3<v2:reject v4<v3", { query: "-status:reject" });
    assert.deepEqual([...layout.broken], [1, 1, 0]);
    assert.deepEqual([...layout.parentRow], [1, 2, -1]);
  });
  it("leaves out hidden subtrees", () =>
    assert.deepEqual(drawn("v0:base a<v0:reject b<a:reject v1<v0", { hidden: ["a"] }), ["● v1", "● v0"]));
  it("draws no lanes when sorted", () => {
    const { layout } = laidOut("v0:base v1<v0 v2<v0", { query: "sort:name" });
    assert.equal(layout.lanes, 0);
    assert.deepEqual([...layout.items], [0, 1, 2]);
  });

  it("never lets two lines overlap in a lane", () => {
    const text = Array.from({ length: 200 }, (_, i) =>
      i === 0 ? "v0:base" : `v${i}<v${Math.floor(i / 3)}:${i % 3 ? "reject" : "keep"}`,
    ).join(" ");
    const { layout } = laidOut(text);
    assert.equal(layout.items.length, 200);
    for (let row = 0; row < 200; row++) {
      const own = 1 << (layout.lane[row] ?? 0);
      const isCramped = layout.lane[row] === mostLanes - 1;
      assert.ok(isCramped || ((layout.through[row] ?? 0) & own) === 0, `a line runs through row ${row}`);
      assert.ok((layout.parentRow[row] ?? 0) < 0 || (layout.parentRow[row] ?? 0) > row);
    }
  });

  it("never needs more lanes than it draws", () => {
    const text = ["v0:base", ...Array.from({ length: 100 }, (_, i) => `r${i}<v0:reject`)].join(" ");
    const { layout } = laidOut(text);
    assert.equal(layout.lanes, mostLanes);
    assert.equal(new Set(layout.lane).size, mostLanes);
  });

  it("lays out the versions that have arrived while the rest are on their way", () => {
    const all = versions("v0:base a<v0:reject v1<v0 b<v1:reject v2<v1");
    const table = new LineageTable();
    table.apply(testPage(all, { only: ["v2", "b", "v1"], rest: 2 }));
    const { indices } = shownVersions(table, { query: "", scope: null, hidden: [] });
    const first = layoutLineage(table, indices, { isGraph: true, isFolded: () => false });
    assert.deepEqual([...first.lane], [0, 1, 0]);
    table.apply(testPage(all, { only: ["a", "v0"] }));
    const whole = shownVersions(table, { query: "", scope: null, hidden: [] });
    const then = layoutLineage(table, whole.indices, { isGraph: true, isFolded: () => false });
    assert.deepEqual([...then.lane], [0, 1, 0, 1, 0]);
  });

  it("copes with circles and places a parent before its child", () =>
    assert.deepEqual(drawn("a<b b<a"), ["● b", "● a"]));

  it("takes linear time: 100,000 versions in a row, and in a star", () => {
    for (const text of ["chain", "star"] as const) {
      const all = Array.from({ length: 100_000 }, (_, i) =>
        testVersion(`v${i}`, {
          parent: i === 0 ? null : text === "chain" ? `v${i - 1}` : "v0",
          decision: text === "chain" ? "keep" : "reject",
          generation: i,
        }),
      );
      const table = testTable(all);
      const { indices } = shownVersions(table, { query: "", scope: null, hidden: [] });
      const layout = layoutLineage(table, indices, { isGraph: true, isFolded: () => false });
      assert.equal(layout.items.length, all.length);
      assert.ok(layout.lanes <= mostLanes);
    }
  });
});

describe("the visible part of the lineage", () => {
  const table = testTable(versions("v0:base a<v0:reject b<a:reject v1<v0 v2<v1 c<v1:reject"));
  const names = (scope: Parameters<typeof shownVersions>[1]["scope"], hidden: string[] = []) =>
    shownVersions(table, { query: "", scope, hidden }).indices.map((i) => table.name[i]);
  it("can be a subtree", () => assert.deepEqual(names({ how: "subtree", name: "v1" }), ["c", "v2", "v1"]));
  it("can be a line", () => assert.deepEqual(names({ how: "line", name: "v2" }), ["v2", "v1", "v0"]));
  it("otherwise is everything except the hidden subtrees", () =>
    assert.deepEqual(names(null, ["v1"]), ["b", "a", "v0"]));
  it("is everything when the version that it starts from is gone", () =>
    assert.equal(names({ how: "line", name: "gone" }).length, 6));
});

describe("keys in the lineage", () => {
  const { layout } = laidOut("v0:base v1<v0:reject v2<v0 v3<v2");
  const cases: readonly (readonly [number, string, number | undefined])[] = [
    [-1, "ArrowDown", 0],
    [0, "ArrowUp", 0],
    [0, "ArrowDown", 1],
    [0, "End", 3],
    [3, "Home", 0],
    [3, "PageUp", 1],
    [0, "x", undefined],
  ];
  for (const [from, key, to] of cases)
    it(`${key} at row ${from} leads to ${to ?? "nothing"}`, () =>
      assert.equal(rowAfter(layout, from, key, 2), to));
});

describe("the words of the lineage", () => {
  const version = (score: number | null, low: number | null, high: number | null): LineageVersion =>
    testVersion("v1", { decision: "invalid", score, low, high });
  it("show a symmetric interval as ± and any other by its ends", () => {
    assert.equal(intervalText(version(0.363, 0.331, 0.395)), "±\u00A03.2");
    assert.equal(intervalText(version(0.363, 0.33, 0.41)), "[33.0, 41.0]");
    assert.equal(intervalText(version(0.363, null, 0.41)), "");
    assert.equal(scoreText(version(null, null, null)), "–");
    assert.equal(scoreText({ score: null, measured: "val_bpb 0.98" }), "val_bpb 0.98");
  });
  it("name all columns of a row", () => {
    // Labels on the same rollouts are one failure; on nearly the same, with a share of their own.
    assert.equal(
      labelsText({
        labels: [
          { name: "leak", rate: 0.25, alert: "critical" },
          { name: "history", rate: 0.25, alert: null, under: "leak" },
          { name: "show", rate: 0.24, alert: null, under: "leak" },
          { name: "echo", rate: 0, alert: null },
        ],
      }),
      "leak 25.0\u00A0% (critical) (also history, show on 24.0 %)",
    );
    assert.equal(rowLabel(version(0.5, null, null)), "v1, invalid, 50.0\u00A0% does not count");
    assert.equal(
      rowLabel({
        ...version(0.5, null, null),
        alias: "leaky",
        tags: ["x"],
        notes: [{ at: "", by: "ada", text: "look" }],
        labels: [{ name: "leak", rate: 0.2, alert: "critical" }],
      }),
      "v1, leaky, invalid, 50.0\u00A0% does not count, leak 20.0\u00A0% (critical), #x, 1 note",
    );
  });
  it("describe what a generation contains", () =>
    assert.equal(
      generationText(["keep", "reject", "reject"]),
      "3 versions tried together: 1 kept, 2 rejected",
    ));
  it("put all scores on one scale", () => {
    assert.equal(scoreExtent(testTable([version(null, null, null)])), undefined);
    const kept = (name: string, score: number, low: number | null, high: number | null): LineageVersion =>
      testVersion(name, { score, low, high });
    const two = [kept("v1", 0.3, 0.2, 0.4), kept("v2", 0.5, null, null)];
    assert.deepEqual(scoreExtent(testTable(two)), [0.2, 0.5]);
    assert.deepEqual(scoreExtent(testTable([kept("v1", 0.5, null, null)])), [0.49, 0.51]);
    // What does not count would press all others together.
    const leak = { ...version(0.99, 0.95, 1), name: "leak" };
    assert.deepEqual(scoreExtent(testTable([...two, leak])), [0.2, 0.5]);
  });
  it("carry how a version compares, and nothing where it was not compared", () => {
    const compared = { difference: 0.002, verdict: "inside_noise" } as const;
    const table = testTable([testVersion("v0"), testVersion("v1", { parent: "v0", compared })]);
    assert.deepEqual([table.version(0)?.compared, table.version(1)?.compared], [undefined, compared]);
  });
  it("give every decision its own look", () => {
    const pairs = decisions.map((d) => [decisionLooks[d].shape, decisionLooks[d].isOpen] as const);
    for (const [i, [type, open]] of pairs.entries())
      for (const [other, otherOpen] of pairs.slice(i + 1)) assert.ok(type !== other || open !== otherOpen);
  });

  describe("and the left and right arrows", () => {
    // Rows: generation 2 (b, a), v1, v0; folded the heading stands for b and a.
    const text = "v0:base@0 v1<v0@1 a<v1:reject@2 b<v1@2";
    const row = (at: number): SideStep => ({ type: "row", row: at });
    const fold = (folded: boolean): SideStep => ({ type: "fold", folded });
    const cases: readonly (readonly [
      string,
      boolean,
      number,
      "ArrowLeft" | "ArrowRight",
      SideStep | undefined,
    ])[] = [
      ["left folds a heading", false, 0, "ArrowLeft", fold(true)],
      ["left of a folded heading leads nowhere", true, 0, "ArrowLeft", undefined],
      ["right unfolds a heading", true, 0, "ArrowRight", fold(false)],
      ["right of an unfolded heading leads to its first version", false, 0, "ArrowRight", row(1)],
      ["left of a member leads to its heading", false, 2, "ArrowLeft", row(0)],
      ["left of a version leads to its parent", false, 3, "ArrowLeft", row(4)],
      ["right of a version leads to its newest child", false, 4, "ArrowRight", row(3)],
      ["left of the root leads nowhere", false, 4, "ArrowLeft", undefined],
      ["right of a leaf leads nowhere", false, 1, "ArrowRight", undefined],
      ["no row leads nowhere", false, -1, "ArrowLeft", undefined],
    ];
    for (const [name, folded, from, key, expected] of cases)
      it(name, () => {
        const { table, layout } = laidOut(text, { folded });
        assert.deepEqual(rowBeside(layout, table, from, key), expected);
      });
  });
});
