import assert from "node:assert/strict";
import { testTable, testVersion } from "../../../test/support/lineage/lineageTable.ts";
import { facetValues, parseFilter, withToken } from "./filter.ts";
import { shownVersions } from "./visible.ts";

const table = testTable([
  testVersion("v0", { decision: "base", score: 0.3, generation: 0, title: "base model" }),
  testVersion("v1", {
    parent: "v0",
    decision: "keep",
    score: 0.4,
    factor: "reward",
    author: "catalogue",
    title: "Binary reward",
    labels: [{ name: "echo trap", rate: 0.1, alert: null }],
  }),
  testVersion("v2", {
    parent: "v1",
    decision: "reject",
    score: 0.35,
    factor: "data",
    author: "ada",
    reason: "Worse than its parent.",
    labels: [
      { name: "echo trap", rate: 0.3, alert: "warning" },
      { name: "leak", rate: 0, alert: null },
    ],
  }),
  testVersion("v10", {
    parent: "v1",
    decision: "pending",
    factor: "reward",
    author: "ada",
    alias: "Ida’s idea",
    tags: ["check"],
    notes: [{ at: "", by: "ida", text: "look at the curriculum" }],
  }),
]);
const found = (query: string) =>
  shownVersions(table, { query, scope: null, hidden: [] }).indices.map((i) => table.name[i]);

describe("the filter of the lineage", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["", ["v10", "v2", "v1", "v0"]],
    ["status:kept", ["v1"]],
    ["status:KEEP status:proposed", ["v10", "v1"]],
    ["-status:kept", ["v10", "v2", "v0"]],
    ['label:"echo trap"', ["v2", "v1"]],
    ["label:leak", []],
    ["factor:reward author:ada", ["v10"]],
    ["tag:check", ["v10"]],
    ["score>=0.35", ["v2", "v1"]],
    ["score<35%", ["v0"]],
    ["reward", ["v10", "v1"]],
    ["worse PARENT", ["v2"]],
    ['"binary reward"', ["v1"]],
    ["curriculum", ["v10"]],
    ["ida", ["v10"]],
    ["sort:score", ["v0", "v2", "v1", "v10"]],
    ["sort:-score", ["v1", "v2", "v0", "v10"]],
    ["sort:-label", ["v2", "v1", "v10", "v0"]],
    ["sort:name", ["v0", "v1", "v2", "v10"]],
    ["sort:-factor status:kept status:rejected", ["v1", "v2"]],
    ["sort:status", ["v0", "v1", "v2", "v10"]],
    ["http://x", []],
  ];
  for (const [query, expected] of cases)
    it(query === "" ? "nothing" : query, () => assert.deepEqual(found(query), expected));

  it("reports what it cannot read, and filters by the rest", () => {
    assert.match(parseFilter("sort:colour").problem ?? "", /sort: and one of score/);
    assert.match(parseFilter("score>high").problem ?? "", /score>=0\.3/);
    assert.deepEqual(found("score>high status:kept"), ["v1"]);
    assert.equal(parseFilter('label:"unfinished status:kept').problem, null);
  });

  it("sets and removes one facet and leaves the rest as it was written", () => {
    assert.equal(withToken("a  status:kept b", "status", "reject"), "a b status:reject");
    assert.equal(withToken("-status:kept", "label", "echo trap"), '-status:kept label:"echo trap"');
    assert.equal(withToken("x sort:name", "sort", null), "x");
    assert.deepEqual(found(withToken("", "label", "echo trap")), ["v2", "v1"]);
  });

  it("counts the values of a facet", () => {
    assert.deepEqual(facetValues(table, "factor"), [
      { value: "reward", versions: 2 },
      { value: "data", versions: 1 },
    ]);
    assert.deepEqual(
      facetValues(table, "label").map(({ value }) => value),
      ["echo trap"],
    );
    assert.deepEqual(
      facetValues(table, "tag").map(({ value }) => value),
      ["check"],
    );
  });
});
