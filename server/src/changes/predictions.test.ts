import assert from "node:assert/strict";
import { labelShare } from "../../../shared/model/labelShare.ts";
import type { ShiftKind } from "../../../shared/ledger/hypothesisResult.ts";
import type { LabelShift } from "./labelShift.ts";
import { checkPrediction, proposerRecords, type Foreseen } from "./predictions.ts";

const rate = { ...labelShare({ labelled: 0, rollouts: 0 }), items: 0 };
const shift = (label: string, kind: ShiftKind): LabelShift => ({
  label,
  a: rate,
  b: rate,
  difference: null,
  low: null,
  high: null,
  method: null,
  commonItems: 0,
  p: null,
  adjusted: null,
  kind,
  seen: "both",
});
const foreseen = (changes: Partial<Foreseen> = {}): Foreseen => ({
  version: "v2",
  parent: "v1",
  proposer: "catalogue",
  fixes: [],
  risks: [],
  shifts: [],
  ...changes,
});
const shifts = [
  shift("echo-trap", "fell"),
  shift("abandon", "vanished"),
  shift("blind-edit", "rose"),
  shift("leak", "appeared"),
  shift("still", "within_noise"),
  shift("gone", "not_measured"),
];

describe("checkPrediction", () => {
  it("distinguishes hits, misses, the opposite and changes that nobody predicted", () => {
    const checked = checkPrediction(
      foreseen({
        fixes: ["echo-trap", "still", "blind-edit", "gone", "no-such-label"],
        risks: ["leak", "abandon"],
        shifts,
      }),
    );
    assert.deepEqual(
      checked.fixes.map((f) => f.result),
      ["hit", "within_noise", "opposite", "not_measured", "not_measured"],
    );
    assert.deepEqual(
      checked.risks.map((f) => f.result),
      ["hit", "opposite"],
    );
    assert.deepEqual(checked.unforeseenFixes, ["abandon"]);
    assert.deepEqual(checked.unforeseenRisks, ["blind-edit"]);
  });
  it("measures nothing unless both versions have rollouts", () => {
    const checked = checkPrediction(foreseen({ fixes: ["echo-trap"], shifts: null }));
    assert.deepEqual([checked.measured, checked.fixes[0]?.result], [false, "not_measured"]);
  });
});

describe("proposerRecords", () => {
  it("add up each proposer's results over a lineage", () => {
    const records = proposerRecords([
      foreseen({ fixes: ["echo-trap", "still"], shifts }),
      foreseen({ version: "v3", fixes: ["abandon"], risks: ["leak"], shifts }),
      foreseen({ version: "v4", fixes: ["echo-trap"], shifts: null }),
      foreseen({ version: "v5", proposer: "agent", shifts }),
    ]);
    const [agent, catalogue] = records;
    assert.deepEqual(
      records.map((r) => [r.proposer, r.versions, r.measured]),
      [
        ["agent", 1, 1],
        ["catalogue", 3, 2],
      ],
    );
    assert.deepEqual(catalogue?.fixes, {
      predicted: 3,
      hits: 2,
      withinNoise: 1,
      opposite: 0,
      notMeasured: 1,
      unforeseen: 2,
      precision: 2 / 3,
      recall: 2 / 4,
      byChance: (2 * 2) / 5 + (1 * 2) / 5,
    });
    assert.deepEqual([catalogue.risks.precision, catalogue.risks.recall], [1, 1 / 4]);
    assert.deepEqual(
      [agent?.fixes.precision, agent?.fixes.recall, agent?.fixes.unforeseen],
      [null, 0, 2],
      "who predicts nothing has no precision, and recalls nothing",
    );
  });
  it("count nothing of a version that is not to be trusted", () => {
    const leaky = foreseen({ fixes: ["echo-trap"], risks: ["leak"], shifts, notValid: ["v2"] });
    const checked = checkPrediction(leaky);
    assert.deepEqual(
      [checked.measured, checked.fixes[0]?.result, checked.risks[0]?.result, checked.unforeseenFixes],
      [false, "not_measured", "not_measured", []],
    );
    assert.deepEqual(checked.unforeseenRisks, ["blind-edit"], "what it does more often is still told");
    const [record] = proposerRecords([leaky]);
    assert.deepEqual(
      [record?.measured, record?.fixes.hits, record?.fixes.unforeseen, record?.risks.hits],
      [0, 0, 0, 0],
    );
  });
  it("are empty for an empty lineage", () => assert.deepEqual(proposerRecords([]), []));
});
