import assert from "node:assert/strict";
import type { MetricSummary } from "../evidence/queries/metricSummary.ts";
import { namedFacts, type MetricFacts } from "../predicate/facts.ts";
import { shippedDiagnostics } from "../project/library.ts";
import { keyMetrics, metricRoles } from "./training.ts";
import { findingOf } from "./versionRules.ts";
import type { Finding } from "./rules.ts";

const metric = (name: string, changes: Partial<MetricSummary> = {}): MetricSummary => ({
  name,
  steps: 20,
  first: 0.1,
  last: 0.1,
  min: 0,
  max: 1,
  ...changes,
});
describe("keyMetrics", () => {
  it("finds the names used by verl, TRL and plain scripts, always in the same order", () => {
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

  it("takes the first name that exists", () =>
    assert.deepEqual(
      keyMetrics([metric("entropy"), metric("actor/entropy")]).map((m) => m.name),
      ["actor/entropy"],
    ));
});

/** What the diagnostics over a version say of these training metrics, under the names that trainers give them. */
function trainingFindings(metrics: Readonly<Record<string, readonly number[]>>): Finding[] {
  const facts = namedFacts(
    {},
    {
      version: {
        rate: () => null,
        metric: (asked): MetricFacts | null => {
          const name = (metricRoles[asked] ?? [asked]).find((n) => n in metrics);
          const values = name === undefined ? undefined : metrics[name];
          return name === undefined || values === undefined
            ? null
            : { name, values, steps: values.map((_, i) => i) };
        },
      },
    },
  );
  return shippedDiagnostics()
    .filter(({ spec }) => spec.over === "version")
    .map(({ spec }) => findingOf(spec, facts))
    .filter((f) => f !== undefined);
}

describe("findings about training", () => {
  const healthy = Array.from({ length: 20 }, (_, i) => 0.1 + (i % 3) / 10);
  const constant = (value: number, steps = 20): number[] => Array.from({ length: steps }, () => value);
  const endingAt = (value: number): number[] => [...constant(0, 19), value];

  for (const [what, metrics, expected] of [
    [
      "healthy training",
      { grad_norm: healthy, score: healthy, "response_length/mean": healthy, "actor/entropy": healthy },
      [],
    ],
    ["no metrics", {}, []],
    ["a gradient that is always 0", { "actor/grad_norm": constant(0) }, ["critical dead-training"]],
    ["a gradient that was different from 0 once", { "actor/grad_norm": endingAt(0.1) }, []],
    ["a constant gradient that is not 0", { "actor/grad_norm": constant(2) }, []],
    ["a constant score", { "critic/score/mean": constant(-1) }, ["critical constant-score"]],
    ["a constant reward, of TRL", { reward: constant(0) }, ["critical constant-score"]],
    [
      "a constant reward under a score that moves",
      { "critic/rewards/mean": constant(0), "critic/score/mean": healthy },
      [],
    ],
    [
      "a length that is always the same",
      { "response_length/mean": constant(256) },
      ["warning pinned-length"],
    ],
    ["15 % cut off", { "response_length/clip_ratio": endingAt(0.15) }, []],
    ["16 % cut off", { "response_length/clip_ratio": endingAt(0.16) }, ["warning truncation"]],
    ["51 % cut off", { "completions/clipped_ratio": endingAt(0.51) }, ["critical truncation"]],
    ["nothing cut off at the end", { "response_length/clip_ratio": [...constant(1), 0] }, []],
    ["a loss that is always 0", { "actor/pg_loss": constant(0) }, ["critical zero-policy-loss"]],
    ["too few steps to tell", { grad_norm: constant(0, 9), score: constant(0, 9) }, []],
    ["metrics without a value", { score: [] }, []],
  ] satisfies readonly (readonly [string, Record<string, readonly number[]>, readonly string[]])[])
    it(`report ${expected.join() || "nothing"} for ${what}`, () =>
      assert.deepEqual(
        trainingFindings(metrics).map((f) => `${f.severity} ${f.name}`),
        expected,
      ));

  it("name the metric and the number of steps", () =>
    assert.deepEqual(
      trainingFindings({ "critic/score/mean": constant(0, 100) }).map((f) => f.message),
      ["critic/score/mean is 0 in all 100 steps."],
    ));
});
