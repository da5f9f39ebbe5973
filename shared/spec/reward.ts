import * as z from "zod";
import { ApiVersion, Name } from "./common.ts";

const rewardShapes = ["linear", "flat", "binary"] as const;

/** What is derived from the rollout itself, under these names: a backtest knows it, a trainer may not. */
export const derivedSignals = [
  "rollout.n_turns",
  "rollout.n_messages",
  "rollout.n_tool_calls",
  "rollout.n_tool_errors",
  "rollout.n_tools",
  "rollout.longest_tool_streak",
  "rollout.tokens",
  "rollout.duration_ms",
] as const;

/** Followed by the name of a tool: how often it was called. */
export const toolCountPrefix = "rollout.tool_count.";

const signalName = new RegExp(
  `^([a-z0-9][a-z0-9_-]{0,63}|${derivedSignals.join("|").replaceAll(".", "\\.")}|${toolCountPrefix.replaceAll(".", "\\.")}[^\\s]{1,100})$`,
);

/** A component of the rollout, or something derived from the rollout. */
const Signal = z
  .string()
  .regex(signalName, `Name a component, ${derivedSignals.join(", ")}, or ${toolCountPrefix}<tool>.`);

/** Whether a signal is derived from the rollout instead of being one of its components. */
export function isDerived(signal: string): boolean {
  return signal.startsWith("rollout.");
}

/** One term of the shaped reward: weight × shape(signal), where the signal is one of a rollout's `components`. */
export const RewardComponent = z.strictObject({
  signal: Signal.optional().describe(
    "Which raw component it reads, or what it derives from the rollout, e.g. rollout.n_turns; by default the term's name.",
  ),
  above: z
    .number()
    .optional()
    .describe("Counts only the part of the signal above this: the shape gets max(0, signal - above)."),
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
    .enum(["none", "std", "outcome"])
    .default("none")
    .describe(
      "std: drop groups whose reward spread is low against a moving average. outcome: drop groups in which all rollouts passed, or all failed, whatever their rewards.",
    ),
  mode: z
    .enum(["absolute", "top-p"])
    .default("absolute")
    .describe(
      "absolute: drop groups below mean - z(keep) * std of the spreads so far. top-p: keep the widest groups of a step that hold the share keep of its spread.",
    ),
  warmup: z
    .int()
    .nonnegative()
    .optional()
    .describe(
      "How many groups the filter sees before it drops any for its spread; by default max(20, 1 / decay).",
    ),
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
  minKeep: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe("The filter keeps at least this share of a step's groups."),
});
export type GroupFilter = z.infer<typeof GroupFilter>;

/** `*.reward.yaml`: reward composition and group filter. The trainer reads it too. */
export const RewardSpec = z.strictObject({
  apiVersion: ApiVersion,
  kind: z.literal("Reward"),
  name: Name.describe("The reward's name."),
  components: z.record(Name, RewardComponent).describe("The terms of the sum."),
  filter: GroupFilter.prefault({}).describe("Which groups of a step the policy learns from."),
});
export type RewardSpec = z.infer<typeof RewardSpec>;
