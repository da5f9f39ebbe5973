/** The names by which the field speaks of training metrics, and conditions ask for them. */
export const metricRoleNames = [
  "score",
  "reward",
  "entropy",
  "kl",
  "grad_norm",
  "policy_loss",
  "clip_fraction",
  "response_length",
  "truncated",
  "longest_response",
  "lowest_reward",
  "highest_reward",
  "flat_groups",
  "mixed_groups",
  "mixed_groups_percent",
  "group_spread",
  "keep_ratio",
] as const;
export type MetricRole = (typeof metricRoleNames)[number];
