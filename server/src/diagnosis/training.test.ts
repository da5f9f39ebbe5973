import assert from "node:assert/strict";
import type { MetricSummary } from "../evidence/queries/metricSummary.ts";
import { shippedDiagnostics } from "../project/library.ts";
import { canFire } from "./curves.ts";
import { metricAskedFor, metricRoles } from "./metricNames.ts";
import { keyMetrics } from "./training.ts";
import { lackingMetrics } from "./versionRules.ts";
import { bySeverity } from "./rules.ts";
import { trainingFindings } from "../../../test/support/diagnosis/trainingFindings.ts";

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

  it("finds what each framework calls a metric, with and without what its logger puts before the name", () => {
    for (const [asked, names] of Object.entries({
      // As the frameworks write them into their logs.
      reward: ["train/reward", "reward/all/mean", "reward/avg_raw_reward", "env/all/reward/total"],
      score: ["rollout/raw_reward", "objective/scores"],
      entropy: [
        "train/entropy_loss",
        "policy/policy_entropy",
        "entropy/mean",
        "optim/entropy",
        "train/approx_entropy",
      ],
      kl: [
        "train/kl_loss",
        "train/ppo_kl",
        "objective/kl",
        "policy/policy_kl",
        "train/kl",
        "train/kl_penalty",
        "actor/reward_kl_penalty",
        "critic/kl",
        "kl_policy_base",
      ],
      validation: ["test/env/all/reward/total"],
      grad_norm: [
        "train/grad_norm",
        "optim/grad_norm",
        "actor_train/grad_norm",
        "ppo_actor/update/grad_norm",
      ],
      clip_fraction: ["train/pg_clipfrac", "actor/ppo_ratio_clipfrac", "train/clip_ratio/region_mean"],
      response_length: [
        "rollout/response_len/mean",
        "train/mean_gen_tokens_per_sample",
        "generate/avg_num_tokens",
        "env/all/ac_tokens_per_turn",
        "decode_len/all/mean",
      ],
      truncated: ["rollout/truncated_ratio", "is_truncated/all/mean", "train/completions/clipped_ratio"],
      flat_groups: ["frac_reward_zero_std", "train/frac_reward_zero_std"],
      mixed_groups: ["env/all/by_group/frac_mixed", "effective_batch_size/all"],
      mixed_groups_percent: ["train/baseline_reward/pct_mixed", "train/dynamic_filtering_pass_rate"],
      keep_ratio: ["filter/keep_ratio"],
      policy_loss: ["train/policy_loss", "train/pg_loss"],
    }))
      for (const name of names) {
        assert.equal(metricAskedFor(asked, new Set(["other", name])), name);
        assert.deepEqual(
          keyMetrics([metric(name)]).map(({ role }) => role),
          [asked],
          name,
        );
      }
  });

  it("takes one's own names before those that are known", () => {
    const own = { entropy: "my/ent", score: ["other", "my/score"] };
    const present = new Set(["my/ent", "my/score", "entropy", "critic/score/mean"]);
    assert.equal(metricAskedFor("entropy", present, own), "my/ent");
    assert.equal(metricAskedFor("score", present, own), "my/score");
    assert.equal(metricAskedFor("score", new Set(["critic/score/mean"]), own), "critic/score/mean");
    assert.deepEqual(
      keyMetrics([metric("my/ent"), metric("x")], own).map((m) => `${m.role} ${m.name}`),
      ["entropy my/ent"],
    );
    const specs = shippedDiagnostics().map(({ spec }) => spec);
    assert.ok(!lackingMetrics(specs, ["my/ent"], own).some((l) => l.metric === "entropy"));
  });

  it("finds prime-rl's names of one environment, where there are none of all, and one environment", () => {
    const of = (environment: string): string[] =>
      [
        "reward/*/mean",
        "seq_len/*/mean",
        "is_truncated/*/mean",
        "decode_len/*/mean",
        "effective_batch_size/*",
      ].map((name) => name.replace("*", environment));
    const asked = ["reward", "truncated", "response_length", "mixed_groups"];
    const found = (...present: string[]): (string | undefined)[] =>
      asked.map((role) => metricAskedFor(role, new Set(present)));
    const [all, one] = [of("all"), of("wordle")];
    const without = (names: string[]): string[] => names.filter((name) => !name.startsWith("seq_len"));
    assert.deepEqual(found(...one), without(one));
    assert.deepEqual(found(...one, ...all), without(all));
    const none = asked.map(() => undefined);
    assert.deepEqual(found(...one, ...of("gsm8k")), none, "of which of the two?");
    // Without the length of sequences it may be anything: a part of the reward, say.
    assert.deepEqual(found("reward/format/mean"), none);
  });

  it("takes nothing that only looks alike", () => {
    for (const [asked, name] of [
      ["kl", "mismatch_kl/mean"],
      ["kl", "train/gen_kl_error"],
      ["flat_groups", "rollout/zero_std/count_0.0"],
      ["response_length", "seq_len/all/mean"],
      ["entropy", "val/entropy"],
      ["actor/entropy", "train/actor/entropy"],
    ] as const)
      assert.equal(metricAskedFor(asked, new Set([name])), undefined, name);
  });

  it("takes the first name that exists", () =>
    assert.deepEqual(
      keyMetrics([metric("entropy"), metric("actor/entropy")]).map((m) => m.name),
      ["actor/entropy"],
    ));
});

describe("the metrics that diagnostics ask for in vain", () => {
  const specs = shippedDiagnostics().map(({ spec }) => spec);
  const lacking = (...names: string[]): Record<string, readonly string[]> =>
    Object.fromEntries(lackingMetrics(specs, names).map(({ metric, diagnostics }) => [metric, diagnostics]));

  it("are listed with these diagnostics, a score and a reward as one", () => {
    const none = lacking("my/acc");
    assert.deepEqual(none["entropy"], ["entropy-collapse", "entropy-fall", "entropy-growth"]);
    assert.ok(none["score"]?.includes("constant-score"));
    assert.ok(!("reward" in none));
    assert.deepEqual(
      Object.keys(lacking("train/reward", "train/entropy")).filter((m) => m in { score: 1, entropy: 1 }),
      [],
    );
  });

  it("are found under the names of a project's own", () => {
    const own = { score: ["my/acc"], entropy: ["other", "mine/ent"] };
    const found = lackingMetrics(specs, ["my/acc", "mine/ent"], own).map(({ metric }) => metric);
    assert.ok(!found.includes("score") && !found.includes("entropy") && found.includes("kl"), found.join());
    assert.deepEqual(
      keyMetrics([metric("my/acc"), metric("reward")], own).map(({ role, name }) => `${role} ${name}`),
      ["score my/acc", "reward reward"],
    );
    // The project's word counts before a known name.
    assert.equal(metricAskedFor("score", new Set(["critic/score/mean", "my/acc"]), own), "my/acc");
  });

  it("do not name what only makes a condition finer, such as the gradient beside the policy loss", () => {
    assert.ok(lacking("my/acc")["grad_norm"]?.includes("dead-training"));
    assert.ok(lacking("my/acc")["grad_norm"]?.includes("zero-policy-loss") === false);
    assert.ok(lacking("my/acc")["score"]?.includes("zero-policy-loss") === false);
    const zeroLoss = specs.find(({ name }) => name === "zero-policy-loss");
    const logs = (name: string) => (asked: string) =>
      asked === name ? { name, steps: [1], values: [0], lostFrom: undefined } : null;
    assert.ok(zeroLoss);
    assert.deepEqual(
      ["policy_loss", "grad_norm"].map((name) => canFire(zeroLoss, logs(name))),
      [true, false],
    );
  });

  it("are none where all are there", () => assert.deepEqual(lacking(...Object.keys(metricRoles)), {}));
});

describe("findings about training", () => {
  const healthy = Array.from({ length: 20 }, (_, i) => 0.1 + (i % 3) / 10);
  const constant = (value: number, steps = 20): number[] => Array.from({ length: steps }, () => value);
  const rising = healthy.map((value, i) => value + i / 10);
  const falling = Array.from({ length: 20 }, (_, i) => 0.8 ** i);
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
    ["15 % cut off", { "response_length/clip_ratio": constant(0.15) }, []],
    ["16 % cut off", { "response_length/clip_ratio": constant(0.16) }, ["warning truncation"]],
    ["51 % cut off", { "completions/clipped_ratio": constant(0.51) }, ["critical truncation"]],
    ["one step with many responses cut off", { "response_length/clip_ratio": endingAt(0.6) }, []],
    ["less and less cut off", { "response_length/clip_ratio": falling.map((v) => v + 0.2) }, []],
    [
      "responses as long as the longest of the batch",
      { "response_length/mean": healthy.map((v) => 255 + v), "response_length/max": constant(256) },
      ["warning pinned-length"],
    ],
    [
      "a gradient that becomes 0",
      { "actor/grad_norm": [...constant(0.4, 12), ...constant(0, 8)] },
      ["warning dead-training"],
    ],
    [
      "a score that falls from its best",
      { "critic/score/mean": [...rising, ...rising.toReversed()] },
      ["warning score-drop"],
    ],
    [
      "a score near the lowest reward of all",
      {
        "critic/score/mean": healthy.map((v) => v / 10 - 1),
        "critic/score/min": constant(-1),
        "critic/score/max": healthy.map((v) => 5 * v),
      },
      ["info rare-reward"],
    ],
    [
      "a score that was low and is 0 since then",
      { "critic/score/mean": [...healthy.map((v) => v / 10), ...constant(0)] },
      ["critical score-drop", "warning score-floor"],
    ],
    [
      "rewards that are rare in every part of the run",
      { "critic/score/mean": constant(0, 80).map((v, i) => (i % 8 === 3 ? 0.01 : v)) },
      ["info rare-reward"],
    ],
    [
      "responses that shrink while the score stays flat",
      { "response_length/mean": falling.map((v) => 500 * v), reward: healthy },
      ["warning length-collapse"],
    ],
    [
      "responses that shrink while the score rises",
      { "response_length/mean": falling.map((v) => 500 * v), reward: rising },
      [],
    ],
    [
      "a divergence that jumps while the score falls",
      {
        "actor/kl_loss": constant(0.01).map((v, i) => (i > 10 && i < 15 ? 0.5 : v)),
        "critic/score/mean": [...constant(0.8, 10), ...healthy.slice(10)],
      },
      ["critical score-drop", "warning kl-spike"],
    ],
    [
      "a divergence that jumps and stays there while the score stays flat",
      {
        "actor/kl_loss": [...healthy.map((v) => v / 10), ...healthy.map((v) => 0.5 + v / 10)],
        "critic/score/mean": [...healthy, ...healthy],
      },
      ["warning kl-shift"],
    ],
    [
      "a divergence that jumps together with the score",
      {
        "actor/kl_loss": [...healthy.map((v) => v / 10), ...healthy.map((v) => 0.5 + v / 10)],
        "critic/score/mean": [...healthy, ...healthy.map((v) => v + 0.5)],
      },
      [],
    ],
    [
      "a divergence that climbs evenly while the score stays flat",
      {
        "actor/kl_loss": constant(0, 40).map((_, i) => i / 100),
        "critic/score/mean": [...healthy, ...healthy],
      },
      [],
    ],
    [
      "a divergence that jumps for one step",
      {
        "actor/kl_loss": constant(0.01).map((v, i) => (i === 11 ? 0.2 : v)),
        "critic/score/mean": healthy,
      },
      [],
    ],
    ["a loss that is always 0", { "actor/pg_loss": constant(0) }, ["critical zero-policy-loss"]],
    [
      "a loss that is always 0 beside a gradient that is not, of a run on policy",
      { "actor/pg_loss": constant(0), "actor/grad_norm": constant(0.4) },
      [],
    ],
    ["a loss that is always 0 while the reward rises", { policy_loss: constant(0), reward: rising }, []],
    [
      "a loss that is always 0 while the reward varies around one level",
      { policy_loss: constant(0), reward: healthy },
      ["critical zero-policy-loss"],
    ],
    [
      "entropy that falls while the score rises",
      { "actor/entropy": falling, "critic/score/mean": rising },
      [],
    ],
    [
      "entropy that falls while the score stays flat",
      { "actor/entropy": falling, "critic/score/mean": healthy.map((v) => 0.4 + v / 10) },
      ["warning entropy-collapse"],
    ],
    [
      "entropy that falls while the score varies too much to tell",
      { "actor/entropy": falling, "critic/score/mean": healthy },
      ["info entropy-fall"],
    ],
    [
      "entropy that falls while the reward falls, of slime",
      { "train/entropy_loss": falling, "rollout/raw_reward": rising.toReversed() },
      ["critical entropy-collapse", "critical score-drop"],
    ],
    ["one low step of entropy at the end", { "actor/entropy": [...constant(1, 19), 0], score: healthy }, []],
    ["entropy that falls, without any score", { "actor/entropy": falling }, []],
    [
      "groups without spread by the trainer's own count",
      { "train/frac_reward_zero_std": constant(0.95) },
      ["info flat-groups"],
    ],
    ["40 % of the groups without spread", { frac_reward_zero_std: constant(0.4) }, ["info flat-groups"]],
    ["20 % of the groups without spread", { frac_reward_zero_std: constant(0.2) }, []],
    ["few mixed groups, of Tinker", { "env/all/by_group/frac_mixed": constant(0.3) }, ["info flat-groups"]],
    [
      "few mixed groups, of NeMo-RL",
      { "train/baseline_reward/pct_mixed": constant(5) },
      ["info flat-groups"],
    ],
    ["many mixed groups, of NeMo-RL", { "baseline_reward/pct_mixed": constant(75) }, []],
    [
      "few groups that the filter passes, of OpenRLHF",
      { dynamic_filtering_pass_rate: constant(20) },
      ["info flat-groups"],
    ],
    ["too few steps to tell", { grad_norm: constant(0, 9), score: constant(0, 9) }, []],
    ["metrics without a value", { score: [] }, []],
  ] satisfies readonly (readonly [string, Record<string, readonly number[]>, readonly string[]])[])
    it(`report ${expected.join() || "nothing"} for ${what}`, () =>
      assert.deepEqual(
        bySeverity(trainingFindings(metrics)).map((f) => `${f.severity} ${f.name}`),
        expected,
      ));

  it("name the metric and the number of steps", () =>
    assert.deepEqual(
      trainingFindings({ "critic/score/mean": constant(0, 100) }).map((f) => f.message),
      [
        "critic/score/mean is 0 in all 100 steps. It fired first at step 9, with critic/score/mean at 0, the mean of five steps; over the last steps its mean is 0.",
      ],
    ));

  it("say at which step the level changed, at which one who watched was warned, and what the score did then", () => {
    const entropy = [...constant(1, 30), ...constant(0.1, 30)];
    const [found] = trainingFindings({
      "actor/entropy": entropy,
      score: [...healthy, ...healthy, ...constant(0)],
    }).filter(({ name }) => name === "entropy-collapse");
    assert.equal(
      found?.message,
      "actor/entropy fell from 1 to 0.1, most of it at step 30, and the score fell: from its first to its last steps it changed by between −0.262 and −0.138. It fired first at step 42, with score at 0.06, the mean of five steps; over the last steps its mean is 0.",
    );
    assert.equal(found.firing?.score?.end, 0);
  });
});
