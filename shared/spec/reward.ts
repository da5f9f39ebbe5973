import { z } from "zod";
import { ApiVersion, Name } from "./common.ts";

export const rewardShapes = ["linear", "flat", "binary"] as const;

/** One term of the shaped reward: weight × shape(signal), where the signal is one of a rollout's `components`. */
export const RewardComponent = z.strictObject({
  signal: Name.optional().describe("Which raw component it reads; the term's own name when omitted."),
  shape: z
    .enum(rewardShapes)
    .default("linear")
    .describe(
      "linear: x. flat: tiers 0 / 0.3 / 0.5 / 1 at x = 0, below one half, below 1, 1. binary: 0 / 0.1 / 1 at x = 0, below 1, 1.",
    ),
  weight: z.number().describe("Factor of this term; 0 switches it off."),
});
export type RewardComponent = z.infer<typeof RewardComponent>;

/** Which groups of a step are trained on. */
export const GroupFilter = z.strictObject({
  kind: z
    .enum(["none", "std"])
    .default("none")
    .describe("std: drop groups whose reward spread is low against a moving average."),
  keep: z
    .number()
    .gt(0)
    .max(1)
    .default(0.9)
    .describe("Share of groups to keep when the spread is normally distributed."),
  decay: z
    .number()
    .gt(0)
    .max(1)
    .default(0.1)
    .describe("Weight of the newest group in the moving mean and variance."),
  minKeep: z.number().min(0).max(1).default(0.5).describe("At least this share of a step's groups is kept."),
});
export type GroupFilter = z.infer<typeof GroupFilter>;

/** `*.reward.yaml`: reward composition and group filter. The trainer reads it too. */
export const RewardSpec = z.strictObject({
  apiVersion: ApiVersion,
  kind: z.literal("Reward"),
  name: Name,
  components: z.record(Name, RewardComponent).describe("The terms that are added up."),
  filter: GroupFilter.prefault({}).describe("Which groups of a step are trained on."),
});
export type RewardSpec = z.infer<typeof RewardSpec>;
