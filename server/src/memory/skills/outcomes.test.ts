import assert from "node:assert/strict";
import type { SkillOutcome, SkillValidation } from "../../../../shared/spec/skill.ts";
import {
  at95,
  confirmedIn,
  expectedFrom,
  isShared,
  outcomeOf,
  retiredBy,
  type Prediction,
} from "./outcomes.ts";

const trial = (version: string, more: Partial<SkillValidation> = {}): SkillValidation => ({
  ...{ domain: "toy", version, metric: "solve_rate", change: 0.1, low: 0.06, high: 0.14, used: true },
  outcome: "confirmed",
  ...more,
});

describe("what became of a use of a skill", () => {
  const wide = { low: 0, high: 0.4 };
  const narrow = { low: 0.15, high: 0.25 };
  const cases: readonly (readonly [string, readonly [number, number], Partial<Prediction>, SkillOutcome])[] =
    [
      ["as much as expected", [0.05, 0.3], { expected: wide }, "confirmed"],
      ["more than expected", [0.5, 0.6], { expected: narrow }, "confirmed"],
      ["nothing can be told", [-0.05, 0.3], { expected: narrow }, "inside_noise"],
      ["better, but by less than was expected at least", [0.01, 0.1], { expected: narrow }, "refuted"],
      ["worse", [-0.3, -0.1], { expected: wide }, "refuted"],
      ["exactly nothing at best", [-0.3, 0], { expected: wide }, "refuted"],
      ["one seed confirms nothing", [0.05, 0.3], { expected: wide, isReplicated: false }, "inside_noise"],
      ["one seed may refute", [-0.3, -0.1], { expected: wide, isReplicated: false }, "refuted"],
      ["nothing measured before: any gain", [0.01, 0.1], { expected: null }, "confirmed"],
      [
        "nothing measured before: less than promised",
        [0.01, 0.02],
        { expected: null, atLeast: 0.05 },
        "refuted",
      ],
      [
        "downwards as said",
        [-0.3, -0.05],
        { direction: "decrease", expected: { low: -0.4, high: 0 } },
        "confirmed",
      ],
      [
        "upwards instead",
        [0.05, 0.3],
        { direction: "decrease", expected: { low: -0.4, high: 0 } },
        "refuted",
      ],
      [
        "downwards, by less than expected",
        [-0.05, -0.01],
        { direction: "decrease", expected: { low: -0.4, high: -0.2 } },
        "refuted",
      ],
    ];
  for (const [name, [low, high], more, expected] of cases)
    it(`${name}: ${expected}`, () => {
      const prediction: Prediction = { direction: "increase", expected: null, isReplicated: true, ...more };
      assert.equal(outcomeOf({ difference: (low + high) / 2, low, high }, prediction), expected);
    });

  it("is held against the interval that 95 % confidence gives", () => {
    const measured = at95({ difference: 0.1, low: 0.1 - 2.5758, high: 0.1 + 2.5758 }, 0.99);
    assert.ok(Math.abs(measured.low - (0.1 - 1.96)) < 1e-3 && Math.abs(measured.high - (0.1 + 1.96)) < 1e-3);
    const same = { difference: 0.1, low: 0, high: 0.2 };
    assert.deepEqual(at95(same, 1), same, "an interval that claims everything is left as it is");
  });
});

describe("the standing of a skill", () => {
  const refuted = { outcome: "refuted" } as const;
  const noise = { outcome: "inside_noise" } as const;
  it("is retired by two refuted uses in a row, whatever the noise between them", () => {
    assert.equal(retiredBy([]), null);
    assert.equal(retiredBy([trial("v2", refuted)]), null);
    assert.match(
      retiredBy([trial("v2"), trial("v3", refuted), trial("v4", noise), trial("v5", refuted)]) ?? "",
      /v3, v5/,
    );
    assert.equal(retiredBy([trial("v2", refuted), trial("v3"), trial("v4", refuted)]), null);
    assert.equal(
      retiredBy([trial("v2", refuted), trial("v3", refuted), trial("v4")]),
      null,
      "confirmed after",
    );
  });
  it("does not count versions that were no uses of it", () => {
    const { used: _, ...own } = trial("v2", refuted);
    assert.equal(retiredBy([own, { ...own, version: "v3" }]), null);
  });
  it("is local until a second domain confirms it", () => {
    assert.deepEqual(confirmedIn([trial("v2"), trial("v3", { domain: "math", ...refuted })]), ["toy"]);
    assert.equal(isShared(["toy"]), false);
    assert.equal(isShared(confirmedIn([trial("v2"), trial("v3", { domain: "math" })])), true);
  });
});

describe("what a skill is expected to do", () => {
  it("is anything from nothing to somewhat more than twice as much after a single version", () => {
    const expected = expectedFrom([trial("v2", { change: 0.2, low: 0.15, high: 0.25 })], "solve_rate");
    assert.ok(expected !== null && expected.uses === 1);
    assert.ok(Math.abs(expected.difference - 0.2) < 1e-9);
    assert.ok(Math.abs(expected.mean[0]) < 0.01 && Math.abs(expected.mean[1] - 0.4) < 0.01);
    assert.ok(expected.next[0] > -0.1 && expected.next[1] < 0.5);
  });
  it("becomes more exact with each further version that agrees, and less exact with one that does not", () => {
    const agreeing = [0.2, 0.19, 0.21, 0.2].map((change, i) =>
      trial(`v${i}`, { change, low: change - 0.05, high: change + 0.05 }),
    );
    const widths = [1, 2, 3, 4].map((n) => {
      const { next = [0, 0] } = expectedFrom(agreeing.slice(0, n), "solve_rate") ?? {};
      return next[1] - next[0];
    });
    assert.ok(widths.every((width, i) => i === 0 || width < (widths[i - 1] ?? 0)));
    const against = trial("v9", { change: -0.1, low: -0.15, high: -0.05 });
    const with4 = expectedFrom(agreeing, "solve_rate");
    const with5 = expectedFrom([...agreeing, against], "solve_rate");
    assert.ok((with5?.difference ?? 1) < (with4?.difference ?? 0));
    assert.ok((with5?.next[0] ?? 1) < 0);
  });
  it("leaves out what has no interval, and other metrics; no score differs by more than all", () => {
    const { low: _, ...without } = trial("v2");
    assert.equal(expectedFrom([without, trial("v3", { metric: "kl" })], "solve_rate"), null);
    const [huge] = [expectedFrom([trial("v2", { change: 0.9, low: 0.8, high: 1 })], "solve_rate")];
    assert.equal(huge?.next[1], 1);
  });
});
