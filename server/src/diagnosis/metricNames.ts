import type { MetricNames, MetricRole } from "../../../shared/spec/metricNames.ts";

/**
 * What training frameworks call the metrics that a reader looks at first, in the order in which they are shown: verl and ROLL,
 * TRL, prime-rl, SkyRL, slime, NeMo-RL, OpenRLHF, AReaL, Tinker, then plain names. Of several that a run has the first counts.
 * Metrics that only look alike are left out: the drift between trainer and sampler (`mismatch_kl`, `gen_kl_error`) is no
 * divergence from a reference, and `seq_len` counts the prompt as well. slime says of how many groups all rewards are equal
 * (`rollout/zero_std/count_0.0`), and not of how many groups that is, so it is no share.
 */
export const metricRoles: Readonly<Record<MetricRole, readonly string[]>> = {
  score: [
    "critic/score/mean", // verl, ROLL
    "objective/scores", // TRL's PPO
    "rollout/raw_reward", // slime
    "score",
    "reward/mean",
  ],
  reward: [
    "critic/rewards/mean", // verl, ROLL
    "reward", // TRL, NeMo-RL, OpenRLHF
    "objective/rlhf_reward", // TRL's PPO
    "reward/all/mean", // prime-rl
    "reward/avg_raw_reward", // SkyRL
    "env/all/reward/total", // Tinker
    "ppo_actor/task_reward/avg", // AReaL
    "grpo_actor/task_reward/avg", // AReaL
    "rewards/mean",
  ],
  entropy: [
    "actor/entropy", // verl
    "actor/entropy_loss", // verl
    "critic/entropy/mean", // ROLL
    "policy/entropy_avg", // TRL's PPO
    "entropy/mean", // prime-rl
    "entropy/all/mean", // prime-rl
    "policy/policy_entropy", // SkyRL
    "approx_entropy", // NeMo-RL
    "entropy_loss", // slime, OpenRLHF
    "ppo_actor/update/entropy/avg", // AReaL
    "optim/entropy", // Tinker
    "entropy",
  ],
  kl: [
    "actor/kl_loss", // verl, ROLL
    "actor/reward_kl_penalty", // verl, where the reward pays for it
    "critic/kl", // ROLL, EasyR1, verl before 0.3
    "actor/ppo_kl", // verl
    "objective/kl", // TRL's PPO
    "policy/policy_kl", // SkyRL
    "kl_loss", // slime
    "kl_penalty", // NeMo-RL
    "kl_policy_base", // Tinker
    "kl",
    "ppo_kl", // slime
    "actor/approxkl", // ROLL
    "policy/approxkl_avg", // TRL's PPO
  ],
  grad_norm: [
    "actor/grad_norm", // verl
    "actor_train/grad_norm", // ROLL
    "optim/grad_norm", // prime-rl, Tinker
    "policy/grad_norm", // SkyRL
    "policy/raw_grad_norm", // SkyRL
    "ppo_actor/update/grad_norm", // AReaL
    "actor_grad_norm", // OpenRLHF
    "grad_norm",
  ],
  policy_loss: [
    "actor/pg_loss", // verl, ROLL
    "loss/policy_avg", // TRL's PPO
    "policy/policy_loss", // SkyRL
    "ppo_actor/update/actor_loss/avg", // AReaL
    "pg_loss", // slime
    "policy_loss", // OpenRLHF
  ],
  clip_fraction: [
    "actor/pg_clipfrac", // verl
    "actor/ppo_ratio_clipfrac", // ROLL
    "clip_ratio/region_mean", // TRL
    "clip_ratio", // TRL before 0.18
    "policy/clipfrac_avg", // TRL's PPO
    "policy/ppo_clip_ratio", // SkyRL
    "ppo_actor/update/clip_ratio/avg", // AReaL
    "pg_clipfrac", // slime
    "ppo_clip_ratio", // OpenRLHF
  ],
  response_length: [
    "response_length/mean", // verl
    "tokens/response_length/mean", // ROLL
    "completions/mean_length", // TRL
    "completion_length", // TRL before 0.17
    "objective/response_length", // TRL's PPO
    "generate/avg_num_tokens", // SkyRL
    "rollout/response_len/mean", // slime
    "rollout/response_lengths", // slime
    "decode_len/all/mean", // prime-rl
    "mean_gen_tokens_per_sample", // NeMo-RL
    "env/all/ac_tokens_per_turn", // Tinker
    "response_length", // OpenRLHF
  ],
  truncated: [
    "response_length/clip_ratio", // verl
    "completions/clipped_ratio", // TRL
    "is_truncated/mean", // prime-rl
    "is_truncated/all/mean", // prime-rl
    "rollout/truncated_ratio", // slime
    "truncation_rate", // NeMo-RL
  ],
  longest_response: [
    "response_length/max", // verl, ROLL
    "completions/max_length", // TRL
  ],
  lowest_reward: [
    "critic/score/min", // verl, ROLL
    "critic/rewards/min", // verl
  ],
  highest_reward: [
    "critic/score/max", // verl, ROLL
    "critic/rewards/max", // verl
  ],
  flat_groups: ["frac_reward_zero_std"], // TRL
  mixed_groups: [
    "env/all/by_group/frac_mixed", // Tinker
    "effective_batch_size/all", // prime-rl
    "batch/effective_batch_size", // prime-rl
  ],
  mixed_groups_percent: [
    "baseline_reward/pct_mixed", // NeMo-RL
    "dynamic_filtering_pass_rate", // OpenRLHF
  ],
  group_spread: ["reward_std"], // TRL
  keep_ratio: ["filter/keep_ratio", "keep_ratio"],
  validation: [
    "validation/accuracy", // NeMo-RL
    "test/env/all/reward/total", // Tinker
    "eval_reward", // TRL
    "eval/all/avg_score", // SkyRL
    "eval/reward",
    "eval/score",
    "eval/accuracy",
    "val/score",
    "val/accuracy",
    "val/reward",
  ],
} satisfies Readonly<Record<MetricRole, readonly string[]>>;

/** What trainers and their loggers put before a name. */
const prefixes = ["train/", "training/", "trainer/", "rollout/"];

const isRole = (asked: string): asked is MetricRole => Object.hasOwn(metricRoles, asked);

/** The names that a metric may have that is asked for by a name, the most certain first. */
function namesFor(asked: string, own: MetricNames): readonly string[] {
  if (!isRole(asked)) return [asked];
  const exact = [...metricRoles[asked], asked];
  return [
    ...[own[asked] ?? []].flat(),
    ...exact,
    ...prefixes.flatMap((prefix) => exact.map((name) => prefix + name)),
  ];
}

/**
 * prime-rl says everything of all environments together (`reward/all/mean`) and of each by its name (`reward/wordle/mean`).
 * Where only the latter were kept, and there is one environment, these are of all; `seq_len` shows that the name is one.
 */
function ofOneEnvironment(names: readonly string[], present: ReadonlySet<string>): string | undefined {
  const ofAll = names.filter((name) => ofPrimeRl.has(name));
  if (ofAll.length === 0) return undefined;
  const environments = [...present].flatMap((name) => /^seq_len\/([^/]+)\/mean$/.exec(name)?.[1] ?? []);
  const [environment, ...others] = environments.filter((name) => name !== "all");
  if (environment === undefined || others.length > 0) return undefined;
  return ofAll.map((name) => name.replace("/all", `/${environment}`)).find((name) => present.has(name));
}

const ofPrimeRl: ReadonlySet<string> = new Set([
  "reward/all/mean",
  "is_truncated/all/mean",
  "decode_len/all/mean",
  "effective_batch_size/all",
]);

/** verl names the set, the measure and how many answers it is of; of several sets the first by its name counts. */
const ofSets = [
  /^val-core\/.+\/(acc|reward|score)\/mean@\d+$/,
  /^val-core\/.+\/mean@\d+$/,
  /^val\/test_score\/.+$/, // verl before 0.3
] as const;

function ofValidationSet(present: ReadonlySet<string>): string | undefined {
  const names = [...present].toSorted();
  for (const pattern of ofSets) {
    const found = names.find((name) => pattern.test(name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The name, among those that there are, of the metric that is asked for by its exact name or by what the field calls it. One's
 * `own` names go before those that are known.
 */
export function metricAskedFor(
  asked: string,
  present: ReadonlySet<string>,
  own: MetricNames = {},
): string | undefined {
  const names = namesFor(asked, own);
  const known = names.find((name) => present.has(name)) ?? ofOneEnvironment(names, present);
  return known ?? (asked === "validation" ? ofValidationSet(present) : undefined);
}
