import assert from "node:assert/strict";
import type { HypothesisResult } from "../../../shared/ledger/hypothesisResult.ts";
import type { Comparison, LabelCount, Score } from "../../../shared/ledger/measures.ts";
import { decide, type DecisionInput } from "./decide.ts";
import type { Subtraction } from "./subtraction.ts";

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
      /^Its job changed its evaluation files: data changed$/,
    ],
    ["a crash", { failure: { failure: "crash", message: "exit 3" } }, "reject", /^Its job crashed: exit 3$/],
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
      /abandon is 0\.4, above its limit of 0\.1/,
    ],
    [
      "a broken guardrail over a label",
      {
        guardrails: [{ metric: "echo-trap", atMost: 0.25 }],
        metric: () => 1,
        labels: [
          {
            name: "echo-trap",
            severity: "warning",
            labelled: 480,
            rollouts: 480,
            alert: null,
            invalidates: false,
          },
        ],
      },
      "reject",
      /^Guardrail: echo-trap shows in 100 % of the rollouts, above its limit of 25 %\.$/,
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

describe("what a decision says beside the difference", () => {
  const result = (moved: HypothesisResult["moved"], name = "dead_group_ratio"): HypothesisResult => ({
    ...{
      metric: name,
      direction: "decrease",
      unit: "share",
      from: 0.4,
      to: 0.4,
      low: -0.02,
      high: 0.02,
      moved,
    },
    ...{ fixes: [], risks: [], sideEffects: [] },
  });
  for (const [what, change, says] of [
    [
      "a gain for the stated reason",
      { hypothesis: result("as_said") },
      /^Better: \+10\.0 points .*\. dead_group_ratio fell as its hypothesis says/,
    ],
    [
      "a gain, but not for the stated reason",
      { hypothesis: result("not") },
      /^Better, but not for the stated reason: \+10\.0 points against v1 .*dead_group_ratio was expected to fall, but did not: 40\.0 % → 40\.0 %/,
    ],
    [
      "nothing but the score where the score is the metric",
      { hypothesis: result("as_said", "solve_rate") },
      /^Better: \+10\.0 points against v1 \[\+7\.0, \+13\.0\]\.$/,
    ],
    [
      "which seeds, where they are known",
      { seeds: { own: [1, 2, 3], parent: [1, 2] } },
      /\+13\.0\], seeds 1, 2 and 3 against seeds 1 and 2\.$/,
    ],
    [
      "how many seeds, where only that is known",
      { comparison: { ...comparison("improved", 0.1), seeds: [1, 1] } },
      /\+13\.0\], 1 seed each\.$/,
    ],
    [
      "that seeds are missing, and not items",
      {
        comparison: {
          ...comparison("inside_noise", 0.1),
          ...{ seeds: [3, 3], seedsNeeded: 7, items: 120, itemsNeeded: 72 },
        },
      },
      /, 3 seeds each; about 7 seeds of each version would be needed to tell, and there are 3\.$/,
    ],
    [
      "that one seed is too few",
      { comparison: { ...comparison("inside_noise", 0.1), seeds: [2, 1], seedsNeeded: 7 } },
      /, 1 seed against 2; about 7 seeds of each version would be needed to tell, and there is 1\.$/,
    ],
    [
      "nothing about items where there are enough of them",
      { comparison: { ...comparison("inside_noise", 0.1), items: 120, itemsNeeded: 72 } },
      /^Inside the noise: [^;]*\.$/,
    ],
    [
      "both scores of an invalid version that was evaluated without its leak",
      {
        labels: [leak],
        score: score(0.488),
        clean: { by: "reevaluated", score: score(0.3104), because: null },
      },
      /It scored 48\.8 %; the same policy scores 31\.0 % in its parent's environment, where the leak is closed\.$/,
    ],
    [
      "that labelled rollouts were counted, and why",
      {
        labels: [leak],
        score: score(0.488),
        cleanScore: score(0.3104),
        clean: { by: "counted", score: score(0.3104), because: "the evaluation failed (crash): exit 3." },
      },
      /48\.8 % is 31\.0 % when those rollouts count as failures\. It was not evaluated without the leak: the evaluation failed \(crash\): exit 3\.$/,
    ],
    [
      "that the labelled rollouts do not change the score",
      { labels: [leak], score: score(0.488), cleanScore: score(0.488) },
      /Its score of 48\.8 % is the same when those rollouts count as failures\.$/,
    ],
  ] satisfies readonly (readonly [string, Partial<DecisionInput>, RegExp])[])
    it(`is ${what}`, () => assert.match(decide({ ...base, ...change }).reason, says));

  const without = (
    verdict: Subtraction["verdict"],
    [low, high]: readonly [number, number],
  ): Partial<DecisionInput> => ({
    // Worse than its parent by the usual rule, which does not apply.
    comparison: comparison("regressed", -0.1),
    subtraction: {
      ...{ takesOut: "v3", edit: "bonus: 0 → 1", margin: 0.02, verdict, seedsNeeded: 5 },
      comparison: { difference: (low + high) / 2, low, high },
    },
  });
  for (const [what, change, decision, says] of [
    [
      "nothing is lost",
      without("not_needed", [-0.009, 0.015]),
      "keep",
      "Nothing is lost without v3 (bonus: 0 → 1): difference −0.3 points [−1.5, +0.9], within ±2.0 points.",
    ],
    [
      "more may be gained than the margin",
      without("not_needed", [-0.05, 0.01]),
      "keep",
      "Nothing is lost without v3 (bonus: 0 → 1): difference +2.0 points [−1.0, +5.0], which is no loss of more than 2.0 points.",
    ],
    [
      "it is better without",
      without("not_needed", [-0.05, -0.01]),
      "keep",
      "Better without v3 (bonus: 0 → 1): difference +3.0 points [+1.0, +5.0].",
    ],
    [
      "it is needed",
      without("needed", [0.01, 0.05]),
      "reject",
      "v3 (bonus: 0 → 1) is needed: without it, difference −3.0 points [−5.0, −1.0].",
    ],
    [
      "nobody can tell",
      without("cannot_tell", [-0.01, 0.05]),
      "reject",
      "Nobody can tell whether v3 (bonus: 0 → 1) is needed: difference −2.0 points [−5.0, +1.0], and it may be taken out only if no more than 2.0 points are lost. About 5 seeds of each version would tell.",
    ],
  ] satisfies readonly (readonly [string, Partial<DecisionInput>, string, string])[])
    it(`of an edit that was taken out: ${what}`, () => {
      const verdict = decide({ ...base, ...change });
      assert.deepEqual([verdict.decision, verdict.reason], [decision, says]);
    });
});
