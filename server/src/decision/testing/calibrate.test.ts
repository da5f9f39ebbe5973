import assert from "node:assert/strict";
import { around, seeded } from "../../../../test/support/decision/seededOutcomes.ts";
import { calibrate } from "./calibrate.ts";
import type { CalibrateInput } from "./testing.ts";

const rules = { metric: "macro", errorRate: 0.05, seeds: 3, candidates: 8, margin: 0.02 } as const;
const baseline = (seeds: readonly number[], items = 120) =>
  seeded("v1", { items, rate: around(0.4, items), seeds, draw: 3 });
const calibrated = (change: Partial<CalibrateInput> = {}) =>
  calibrate({
    baseline: baseline([0.02, -0.02]),
    again: null,
    rules,
    secondsPerSeed: 90,
    atLeast: 0.02,
    ...change,
  });

describe("calibrate", () => {
  it("says how much seeds differ, what can be detected, what would be needed and what it costs", () => {
    const { sentences, cost, items } = calibrated();
    assert.equal(items, 120);
    assert.deepEqual(cost.trainings, { usual: 13, most: 25 });
    assert.deepEqual(cost.seconds, { usual: 13 * 90, most: 25 * 90 });
    const [noise, told, needed, costs] = sentences;
    assert.match(
      noise ?? "",
      /^Seeds of the same harness differ by about \d+\.\d points; 2 seeds show this only roughly\. Evaluating the same policy again moves its score by about \d+\.\d points\.$/,
    );
    assert.match(
      told ?? "",
      /^With 3 seeds of each version and 120 items, a difference of \d+\.\d points is detected in 80 of 100 cases, where at most 5 % of the kept versions may be no better than their parent\.$/,
    );
    assert.match(
      needed ?? "",
      /^The proposals ask for at least 2\.0 points\. To detect that takes about [\d,]+ seeds/,
    );
    assert.equal(
      costs,
      "8 candidates take about 13 trainings if most are no better, and 25 at most, one after the other 19 min 30 s and 37 min 30 s.",
    );
  });
  it("finds smaller differences with more seeds, with more items and in a shorter evolution", () => {
    const of = (change: Partial<CalibrateInput>): number => calibrated(change).resolvable ?? NaN;
    const here = of({});
    assert.ok(of({ rules: { ...rules, seeds: 6 } }) < here);
    assert.ok(of({ rules: { ...rules, candidates: 2 } }) < here);
    const [quiet, more] = [{ baseline: baseline([0, 0]) }, { baseline: baseline([0, 0], 1000) }];
    assert.ok(of(more) < of(quiet));
  });
  it("takes the noise of evaluation from the policy that was evaluated twice", () => {
    const first = seeded("v1", { rate: around(0.4), seeds: [0], draw: 8 }).outcomes;
    const second = seeded("v1", { rate: around(0.4), seeds: [0], draw: 9 }).outcomes;
    // Of rates around 0.4, with 4 samples of each of 120 items: √(0.227 / 480).
    const { evaluationSd } = calibrated({ again: { first, second } });
    assert.ok(Math.abs(evaluationSd - 0.0217) < 0.004, `${evaluationSd}`);
  });
  it("does not take a second evaluation for noise-free that only draws the same again", () => {
    const first = seeded("v1", { rate: around(0.4), seeds: [0], draw: 8 }).outcomes;
    const { evaluationSd, noise, sentences } = calibrated({ again: { first, second: first } });
    assert.equal(evaluationSd, noise.evaluationSd);
    assert.ok(evaluationSd > 0);
    assert.match(sentences[0] ?? "", /gave the same outcomes, because the trainer draws by its seed\./);
  });
  it("says what is missing with one seed", () => {
    const { sentences, resolvable, needed } = calibrated({ baseline: baseline([0]) });
    assert.deepEqual([resolvable, needed], [null, null]);
    assert.match(
      sentences[0] ?? "",
      /^The baseline has one seed on 120 items, so nobody knows how much seeds differ\. Train it on a second seed\.$/,
    );
    assert.match(sentences[1] ?? "", /nobody knows yet how small a difference can be detected\.$/);
  });
  it("says that it is enough where it is", () => {
    const { sentences } = calibrated({ atLeast: 0.6 });
    assert.equal(
      sentences[2],
      "The proposals ask for at least 60.0 points, which these seeds and items can detect.",
    );
  });
});
