import assert from "node:assert/strict";
import type { LabelTally } from "../../../shared/model/labelShare.ts";
import { compilePredicate } from "./compile.ts";
import { namedFacts } from "./facts.ts";

const shares: Readonly<Record<string, LabelTally>> = {
  leak: { labelled: 2, undecided: 1, rollouts: 5 },
  none: { labelled: 0, undecided: 0, rollouts: 0 },
  open: { labelled: 0, undecided: 4, rollouts: 4 },
};
const metrics: Readonly<Record<string, readonly number[]>> = {
  entropy: [4, 3, 2, 1],
  flat: [1],
  empty: [],
  long: Array.from({ length: 100 }, (_, i) => i),
  same: [2, 2, 2, 2],
  jump: [1, 1, 2, 2],
};

const version = namedFacts(
  { score: 0.4, rollouts: 5, turns_mean: null },
  {
    parent: { score: 0.5, rollouts: 5 },
    version: {
      rate: (label, of) =>
        of === "parent" ? { labelled: 1, undecided: 0, rollouts: 4 } : (shares[label] ?? null),
      metric: (name) => {
        const values = metrics[name];
        return values === undefined
          ? null
          : { name: `critic/${name}`, values, steps: values.map((_, i) => 10 * i) };
      },
    },
  },
);

describe("expressions over a version", () => {
  for (const [text, expected] of [
    ["score < parent.score && rollouts == parent.rollouts", true],
    ["turns_mean > 1.0", null],
    ["parent.turns_mean == null", true],
    ['rate("leak") == 0.5 && rate_low("leak") == 0.4 && rate_high("leak") == 0.6', true],
    ['rate("leak") > parent_rate("leak")', true],
    ['rate("none") > 0.0', null],
    ['rate("other") > 0.0', null],
    ['rate("open") >= 0.0', null],
    ['rate_low("open") == 0.0 && rate_high("open") == 1.0', true],
    ['first("entropy") == 4.0 && last("entropy") == 1.0 && mean("entropy") == 2.5', true],
    ['slope("entropy") == -0.1', true],
    ['slope("flat") < 0.0', null],
    // 4, 3, 2, 1: two steps on each side.
    ['early("entropy") == 3.5 && late("entropy") == 1.5', true],
    ['abs(gain("entropy") + 2.8284) < 0.001', true],
    ['gain("flat") == 0.0', null],
    ['gain("absent") < 1.0', null],
    ['early("long") == 4.5 && late("long") == 94.5', true],
    ['gain("same") == 0.0', true],
    ['gain("jump") > 0.0', null],
    ['percentile("entropy", 0.5) == 2.5 && percentile("entropy", 1.0) == highest("entropy")', true],
    ['steps("entropy") == 4 && steps("empty") == 0 && steps("absent") == 0', true],
    ['metric_name("entropy") == "critic/entropy" && metric_name("absent") == null', true],
    ['lowest("empty") < 1.0', null],
    ['last("absent") < 1.0', null],
  ] satisfies readonly (readonly [string, boolean | null])[])
    it(`${text} is ${String(expected)}`, () => {
      const result = compilePredicate(text, "version");
      assert.ok(result.ok, result.ok ? "" : result.problems[0]?.message);
      assert.equal(result.predicate.test(version), expected);
    });

  it("refuse variables that a version does not have", () => {
    for (const [text, says] of [
      ["reward > 1.0", /Unknown variable: reward/],
      ["parent > 1.0", /parent\.score/],
      ["parent.scor > 1.0", /Did you mean score/],
      ['tool_count("x") > 1', /over a rollout/],
      ['percentile("x", 2.0) > 1.0', /0 to 1/],
      ["turns.size() > 1", /Unknown variable: turns/],
    ] as const) {
      const result = compilePredicate(text, "version");
      assert.ok(!result.ok, text);
      assert.match(result.problems[0]?.message ?? "", says);
    }
  });
});
