import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { Factor } from "../../../../shared/spec/common.ts";
import { comparedWith } from "../../diagnosis/versionFacts.ts";
import { placeIn } from "./placeInLineage.ts";

const common = { at: "2026-01-01T00:00:00Z", domain: "toy", version: "v2" };
const version = (factor: Factor | null, merges?: string, joins?: string): LedgerEntry => ({
  ...{ ...common, id: "version:v2", type: "version", commit: "a".repeat(40), parent: "v1", generation: 1 },
  ...{ factor, intervention: null, title: "t" },
  ...(merges === undefined ? {} : { merges }),
  ...(joins === undefined ? {} : { joins }),
});
const altered = (factor: Factor | null): LedgerEntry => ({
  ...{ ...common, id: "approval:v2:design", type: "approval", gate: "design", answer: "approve", by: "ada" },
  ...{ commit: "b".repeat(40), change: { title: "t", factor } },
});

describe("whether a version's rewards can be compared with its parent's", () => {
  for (const [what, entries, differs] of [
    ["a change of the reward", [version("reward")], true],
    ["another change", [version("data")], false],
    ["a change that became one of the reward at its gate", [version("data"), altered("reward")], true],
    [
      "a change of the reward that became another one at its gate",
      [version("reward"), altered("data")],
      false,
    ],
    ["a merge of several factors", [version(null, "v3")], true],
    [
      "a merge of which a part was taken, still of several factors",
      [version(null, "v3"), altered(null)],
      true,
    ],
    ["a merge of which another factor was taken", [version(null, "v3"), altered("data")], false],
    ["a joined version of several factors", [version(null, undefined, "v3")], true],
    ["a baseline", [version(null)], false],
  ] as const)
    it(`is told of ${what}`, () => assert.equal(placeIn(entries, "v2").rewardDiffers, differs));

  it("leaves the parent's other values as they are", () => {
    const values = { reward_mean: 0.6, reward_spread: 0.2, score: 0.3 };
    assert.deepEqual(comparedWith(values, false), values);
    assert.deepEqual(comparedWith(values, true), { reward_mean: null, reward_spread: null, score: 0.3 });
  });
});
