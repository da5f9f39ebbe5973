import assert from "node:assert/strict";
import type { Comparison, LabelCount, Score } from "../../../shared/ledger/measures.ts";
import { decide, type DecisionInput } from "./decide.ts";

const score = (value: number): Score => ({
  metric: "solve_rate",
  value,
  low: value - 0.05,
  high: value + 0.05,
  items: 100,
  rollouts: 400,
  unknown: 0,
  bounds: [value, value],
});
const comparison = (verdict: Comparison["verdict"], difference: number): Comparison => ({
  against: "v1",
  difference,
  low: difference - 0.03,
  high: difference + 0.03,
  confidence: 0.95,
  verdict,
  items: 100,
  itemsNeeded: 480,
});
const leak: LabelCount = {
  name: "history-leak",
  severity: "critical",
  labelled: 310,
  rollouts: 400,
  alert: "critical",
  invalidates: true,
};
const base: DecisionInput = {
  failure: null,
  score: score(0.4),
  cleanScore: score(0.4),
  labels: [],
  comparison: comparison("improved", 0.1),
  success: { metric: "solve_rate", atLeast: 0.02, confidence: 0.95 },
  guardrails: [],
  metric: () => 0,
};

describe("decide", () => {
  for (const [what, change, decision, says] of [
    ["a gain outside the noise", {}, "keep", /^Better: \+10\.0 points against v1 \[\+7\.0, \+13\.0\]/],
    [
      "a gain on other data",
      { incomparable: "v1 and v2 cannot be compared: data/selection.jsonl differs.", comparison: null },
      "invalid",
      /data\/selection\.jsonl differs/,
    ],
    [
      "a gain inside the noise",
      { comparison: comparison("inside_noise", 0.02) },
      "reject",
      /Inside the noise: .*about 480 items would be needed to tell, and there are 100/,
    ],
    [
      "no difference in any item",
      { comparison: { ...comparison("inside_noise", 0), low: 0, high: 0 } },
      "reject",
      /^No effect: every item has the same outcomes as in v1/,
    ],
    [
      "no difference in any item, with the remaining bound",
      { comparison: { ...comparison("inside_noise", 0), doubts: ["no_spread", "one_seed"] } },
      "reject",
      /^No effect: every item has the same outcomes as in v1/,
    ],
    [
      "too few items to tell",
      { comparison: { ...comparison("inside_noise", 0.1), doubts: ["too_few_items", "one_seed"] } },
      "reject",
      /Inside the noise: .*\. Too few items: with fewer than 20 no interval keeps its confidence level\.$/,
    ],
    [
      "a gain on selected items",
      { comparison: comparison("withheld", 0.3) },
      "reject",
      /^No verdict: \+30\.0 points .*selected by how one of the versions did/,
    ],
    ["a loss", { comparison: comparison("regressed", -0.1) }, "reject", /^Worse: −10\.0 points/],
    [
      "a gain smaller than promised",
      { comparison: comparison("improved", 0.01) },
      "reject",
      /less than the \+2\.0 points/,
    ],
    [
      "a leak with any score",
      { labels: [leak], cleanScore: score(0.1) },
      "invalid",
      /history-leak in 310 of 400 rollouts.*40\.0 % is 10\.0 %/,
    ],
    [
      "a trainer that changed the evaluation",
      { failure: { failure: "disqualified", message: "data changed" } },
      "invalid",
      /disqualified: data changed/,
    ],
    ["a crash", { failure: { failure: "crash", message: "exit 3" } }, "reject", /crash: exit 3/],
    [
      "outcomes that are all unknown",
      { score: null, comparison: null },
      "reject",
      /No item has a known outcome/,
    ],
    [
      "a broken guardrail",
      { guardrails: [{ metric: "abandon", atMost: 0.1 }], metric: () => 0.4 },
      "reject",
      /abandon is 0\.4, above 0\.1/,
    ],
    [
      "a guardrail that cannot be measured",
      { guardrails: [{ metric: "entropy", atMost: 1 }], metric: () => null },
      "reject",
      /entropy is not measured/,
    ],
  ] satisfies readonly (readonly [string, Partial<DecisionInput>, string, RegExp])[])
    it(`answers ${what} with ${decision}`, () => {
      const verdict = decide({ ...base, ...change });
      assert.equal(verdict.decision, decision);
      assert.match(verdict.reason, says);
    });
});
