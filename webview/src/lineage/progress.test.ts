import assert from "node:assert/strict";
import { peopleOn } from "../../../test/support/diagnosis/peopleOn.ts";
import { testTable, testVersion } from "../../../test/support/lineage/lineageTable.ts";
import { columnOf, labelMatrix } from "./labelMatrix.ts";
import { scoredVersions } from "./progress.ts";

const table = testTable([
  testVersion("v0", { decision: "base", score: 0.3 }),
  testVersion("v1", { score: 0.4, low: 0.35, high: 0.45 }),
  testVersion("leak", { decision: "invalid", score: 0.9, cleanScore: 0.35 }),
  testVersion("v2", { decision: "reject", score: 0.5 }),
  testVersion("v3", { decision: "pending" }),
  testVersion("v4", { score: 0.45 }),
]);
const all = [5, 4, 3, 2, 1, 0];
const scored = (room: number) => scoredVersions(table, all, { room, seeds: new Map() });

describe("the progress of a lineage", () => {
  it("looks at what was kept: neither an invalid nor a rejected version is the best, whatever its score", () => {
    assert.equal(table.name[table.bestKept()], "v4");
    assert.deepEqual(
      scored(100).map(({ name, frontier, isBest, isTrusted }) => [name, frontier, isBest, isTrusted]),
      [
        ["v0", 0.3, false, true],
        ["v1", 0.4, false, true],
        ["leak", 0.4, false, false],
        ["v2", 0.4, false, true],
        ["v4", 0.45, true, true],
      ],
    );
    assert.deepEqual([scored(100)[2]?.score, scored(100)[2]?.clean], [0.9, 0.35]);
    assert.match(
      scored(100)[2]?.says ?? "",
      /^leak invalid · 90\.0\s% does not count, 35\.0\s% without what was found/,
    );
  });

  it("does not take a version for the best one that a person has to look at first", () => {
    const held = testTable([
      testVersion("v1", { score: 0.4 }),
      testVersion("v2", { score: 0.95, held: true }),
      testVersion("v3", { score: 0.5 }),
    ]);
    assert.equal(held.name[held.bestKept()], "v3");
    const points = scoredVersions(held, [2, 1, 0], { room: 9, seeds: new Map() });
    assert.deepEqual(
      points.map(({ frontier }) => frontier),
      [0.4, 0.4, 0.5],
    );
    assert.match(points[1]?.says ?? "", /^v2 kept \(held\) · 95/);
    assert.match(columnOf(held, 1).title, /^v2 · kept \(held\) · /);
  });

  it("has one version for each place where there are more than have room, a kept one before a higher score", () => {
    assert.deepEqual(
      scored(2).map(({ name }) => name),
      ["v1", "v4"],
    );
    assert.match(scored(2)[0]?.says ?? "", /one of 3 versions here$/);
  });

  it("is nothing where nothing was measured", () => {
    const empty = testTable([testVersion("v0", { decision: "pending" })]);
    assert.equal(empty.bestKept(), -1);
    assert.deepEqual(scoredVersions(empty, [0], { room: 9, seeds: new Map() }), []);
  });
});

describe("labels by version", () => {
  const label = (name: string, rate: number | null, under?: string) => ({
    ...{ name, rate, alert: null },
    ...(under === undefined ? {} : { under }),
  });
  it("are folded only where they coincide in every version that has them", () => {
    const two = testTable([
      testVersion("v1", {
        labels: [label("a", 0.2), label("b", 0.2, "a"), label("c", 0.2, "a"), label("none", 0)],
      }),
      testVersion("v2", {
        labels: [label("a", 0.3), label("b", 0.3, "a"), label("c", 0.15), label("open", null)],
      }),
    ]);
    const { labels, versions, model, people } = labelMatrix(two, [1, 0], [peopleOn("b"), peopleOn("none")]);
    assert.deepEqual(versions, ["v1", "v2"]);
    assert.deepEqual(people, [peopleOn("b")], "what people said of a label that has no row is not said");
    assert.match(model.rowName(0).title, /nearly: b · b: people, held-out items: precision 75\.0 %/);
    assert.deepEqual(
      labels.map(({ name, same }) => [name, same]),
      [
        ["a", ["b"]],
        ["c", []],
      ],
    );
    assert.equal(model.cell(1, 1)?.text, "15.0\u00A0%");
    assert.equal(model.cell(0, 0)?.share, 0.2);
  });
  it("have the worst mark of those in one row, and that of what the version was not kept for", () => {
    const one = (a: "warning" | "critical" | null, decided?: true) =>
      testTable([
        testVersion("v1", {
          labels: [
            { ...label("quiet", 0.9) },
            { ...label("blind-edit", 1) },
            {
              ...label("echo-trap", 1, "blind-edit"),
              alert: a,
              ...(decided === undefined ? {} : { decided }),
            },
          ],
        }),
      ]);
    const cells = (table: ReturnType<typeof one>) => {
      const { labels, model } = labelMatrix(table, [0], []);
      return labels.map(({ name }, row) => [name, model.cell(row, 0)?.sign, model.cell(row, 0)?.title]);
    };
    assert.deepEqual(cells(one("critical"))[0], [
      "blind-edit",
      "‼",
      "blind-edit in v1: 100\u00A0% of its rollouts, echo-trap over its critical threshold",
    ]);
    assert.equal(cells(one("warning"))[0]?.[1], "△");
    assert.deepEqual(cells(one(null, true))[0], [
      "blind-edit",
      "‼",
      "blind-edit in v1: 100\u00A0% of its rollouts, not kept because of echo-trap",
    ]);
    assert.equal(cells(one(null))[0]?.[1], undefined);
  });
});
