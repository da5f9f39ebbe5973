import * as z from "zod";

/** What diagnostics call the metrics of training, whatever a trainer calls them. */
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
  "validation",
] as const;
export type MetricRole = (typeof metricRoleNames)[number];

const TrainerName = z.string().min(1).max(200);

/** One's own names of training metrics, by what diagnostics call them. */
export const MetricNames = z
  .partialRecord(z.enum(metricRoleNames), z.union([TrainerName, z.array(TrainerName).min(1).max(20)]))
  .describe(
    "What your trainer calls the metrics that diagnostics read, such as `entropy: my/ent`; if you give several names, the first one that a run has counts.",
  );
export type MetricNames = z.infer<typeof MetricNames>;
