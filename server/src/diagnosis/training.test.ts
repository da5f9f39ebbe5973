import assert from "node:assert/strict";
import type { MetricSummary } from "../evidence/metricSummary.ts";
import { keyMetrics, trainingFindings } from "./training.ts";

const metric = (name: string, changes: Partial<MetricSummary> = {}): MetricSummary => ({
  name,
  steps: 20,
  first: 0.1,
  last: 0.1,
  min: 0,
  max: 1,
  ...changes,
});
const constant = (value: number): Partial<MetricSummary> => ({
  first: value,
  last: value,
  min: value,
  max: value,
});

describe("keyMetrics", () => {
  it("finds the names of verl, TRL and plain scripts, in one order, whatever theirs", () => {
    const roles = (...names: string[]): string[] =>
      keyMetrics(names.map((name) => metric(name))).map((m) => `${m.role} ${m.name}`);
    assert.deepEqual(roles("response_length/mean", "actor/grad_norm", "critic/score/mean"), [
      "score critic/score/mean",
      "grad_norm actor/grad_norm",
      "response_length response_length/mean",
    ]);
    assert.deepEqual(roles("completions/clipped_ratio", "reward", "kl"), [
      "reward reward",
      "kl kl",
      "truncated completions/clipped_ratio",
    ]);
    assert.deepEqual(roles("val-core/acc"), []);
  });

  it("takes the first name that there is", () =>
    assert.deepEqual(
      keyMetrics([metric("entropy"), metric("actor/entropy")]).map((m) => m.name),
      ["actor/entropy"],
    ));
});

describe("trainingFindings", () => {
  const names = (...metrics: MetricSummary[]): string[] =>
    trainingFindings(keyMetrics(metrics)).map((f) => `${f.severity} ${f.name}`);

  for (const [what, found, expected] of [
    ["healthy training", [metric("grad_norm"), metric("score"), metric("response_length/mean")], []],
    ["no metric at all", [], []],
    ["a gradient of 0 throughout", [metric("actor/grad_norm", constant(0))], ["critical dead-training"]],
    ["a gradient that was not 0 once", [metric("actor/grad_norm", { ...constant(0), max: 0.1 })], []],
    ["a constant gradient that is not 0", [metric("actor/grad_norm", constant(2))], []],
    ["a constant score", [metric("critic/score/mean", constant(-1))], ["critical constant-score"]],
    ["a constant reward, of TRL", [metric("reward", constant(0))], ["critical constant-score"]],
    [
      "a constant reward under a score that moves",
      [metric("critic/rewards/mean", constant(0)), metric("critic/score/mean")],
      [],
    ],
    ["one length throughout", [metric("response_length/mean", constant(256))], ["warning pinned-length"]],
    ["15 % cut off", [metric("response_length/clip_ratio", { last: 0.15 })], []],
    ["16 % cut off", [metric("response_length/clip_ratio", { last: 0.16 })], ["warning truncation"]],
    ["51 % cut off", [metric("completions/clipped_ratio", { last: 0.51 })], ["critical truncation"]],
    ["nothing cut off at the end", [metric("response_length/clip_ratio", { last: 0, max: 1 })], []],
    [
      "too few steps to tell",
      [metric("grad_norm", { ...constant(0), steps: 9 }), metric("score", { ...constant(0), steps: 9 })],
      [],
    ],
    [
      "metrics without a value",
      [metric("score", { steps: 0, first: null, last: null, min: null, max: null })],
      [],
    ],
  ] satisfies readonly (readonly [string, readonly MetricSummary[], readonly string[]])[])
    it(`says ${expected.join() || "nothing"} of ${what}`, () => assert.deepEqual(names(...found), expected));

  it("names the metric and the number of steps", () =>
    assert.deepEqual(
      trainingFindings(keyMetrics([metric("critic/score/mean", { ...constant(0), steps: 100 })])).map(
        (f) => f.message,
      ),
      ["critic/score/mean is 0 in all 100 steps."],
    ));
});
