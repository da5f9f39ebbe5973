import assert from "node:assert/strict";
import type { EvidenceQuery } from "../../../shared/protocol/views/evidence.ts";
import { countsText, voidText } from "./countsText.ts";

describe("what is said of the rollouts that are listed", () => {
  const counts = (total: number) => ({ total, notValid: 0, pass: 4, fail: total - 4, unknown: 0 });
  const said = (total: number, filter: Partial<EvidenceQuery>, found: number | null = null): string =>
    countsText({
      page: { split: "selection", counts: counts(total) },
      query: { version: "v7", orderBy: "arrival", descending: false, ...filter },
      versions: [{ version: "v7", train: 9, selection: 480 }],
      ...{ found, isReading: false },
    }).replaceAll("\u00a0", " ");

  for (const [what, filter, total, expected] of [
    ["how many there are", {}, 480, "480 rollouts: 4 passed, 476 failed"],
    [
      "that a filter leaves none out",
      { label: "untested" },
      480,
      "480 rollouts: 4 passed, 476 failed; the filter leaves none out",
    ],
    [
      "that several leave none out",
      { label: "untested", step: 80 },
      480,
      "480 rollouts: 4 passed, 476 failed; the filters leave none out",
    ],
    [
      "what a label keeps",
      { label: "wrong-file" },
      26,
      "26 of 480 rollouts match label wrong-file: 4 passed, 22 failed",
    ],
    [
      "what an end keeps",
      { stopReason: "partial" },
      26,
      "26 of 480 rollouts match ended as partial: 4 passed, 22 failed",
    ],
    [
      "what a condition keeps",
      { where: "n_turns > 3" },
      26,
      "26 of 480 rollouts match n_turns > 3: 4 passed, 22 failed",
    ],
    [
      "how many filters keep what is listed",
      { label: "a", outcome: "fail", note: "" },
      26,
      "26 of 480 rollouts match 3 filters: 4 passed, 22 failed",
    ],
  ] as const)
    it(`is ${what}`, () => assert.equal(said(total, filter), expected));

  it("is how many a search has found", () => {
    assert.equal(said(480, { search: "x" }, 7), "7 found in 480 rollouts: 4 passed, 476 failed");
    assert.equal(said(480, { search: "x" }), "Searching 480 rollouts: 4 passed, 476 failed");
  });

  it("is that they are read, while nobody knows them", () =>
    assert.equal(
      countsText({ page: null, query: null, versions: [], found: null, isReading: true }),
      "Reading…",
    ));
});

describe("what is said of listed rollouts that are not to be trusted", () => {
  const group = (value: string, rollouts: number) => ({ value, rollouts, pass: 0, notValid: rollouts });
  const groups = {
    by: "label" as const,
    groups: [group("leak", 9), group("hack", 3)],
    more: false,
    people: [],
  };
  const invalidating = new Set(["hack", "leak"]);

  it("is how many they are and what most of them carry", () =>
    assert.equal(
      voidText(12, groups, { invalidating, isLooked: true }),
      "; ⊘ not to be trusted: 12, because of leak",
    ));
  it("is that none is, once they were looked at", () =>
    assert.equal(voidText(0, groups, { invalidating, isLooked: true }), "; ⊘ not to be trusted: none"));
  it("is nothing before that", () => assert.equal(voidText(0, null, { invalidating, isLooked: false }), ""));
});
