import * as z from "zod";

// The evidence contract, version 1: one JSON object per rollout, one line each. Guide: docs/evidence.md.

export const splitNames = ["train", "selection", "audit"] as const;
export const outcomes = ["pass", "fail", "unknown"] as const;

export const Split = z.enum(splitNames);
export type Split = z.infer<typeof Split>;
export const Outcome = z.enum(outcomes);
export type Outcome = z.infer<typeof Outcome>;

/** One exchange inside a rollout. A *step* is always a training step; a *turn* is this. */
export const Turn = z.object({
  role: z.string().describe("Who speaks: system, user, assistant or tool."),
  text: z.string().describe("What was said or returned, as shown to the policy or written by it."),
  tool: z.string().optional().describe("Name of the tool that the policy called in this turn."),
  args: z.record(z.string(), z.unknown()).optional().describe("Arguments of that call."),
  ok: z.boolean().optional().describe("Whether the call succeeded."),
  tokens: z.int().nonnegative().optional().describe("Tokens in this turn."),
  ms: z.number().nonnegative().optional().describe("Wall time of this turn in milliseconds."),
});
export type Turn = z.infer<typeof Turn>;

/** One sampled trajectory for one item. */
export const Rollout = z
  .object({
    id: z.string().min(1).describe("Unique within the run."),
    run: z.string().min(1).describe("The run (job) that produced it."),
    split: Split.describe("Which split its item belongs to; audit stays sealed until a version is promoted."),
    step: z.int().nonnegative().describe("Training step at which it was sampled; 0 before training."),
    item: z.string().min(1).describe("The task instance."),
    group: z.string().min(1).describe("The rollouts that are compared with each other (GRPO group)."),
    sample: z.int().nonnegative().describe("Index within the group."),
    outcome: Outcome.describe("Three-valued: an evaluator that crashed gives unknown, never fail."),
    unknown_reason: z.string().min(1).optional().describe("Why the outcome is unknown."),
    reward: z
      .number()
      .nullable()
      .describe("The shaped reward that training used; null when training used none."),
    components: z
      .record(z.string(), z.number())
      .describe("Raw reward signals by name, before shape and weight, so that a reward can be replayed."),
    stop_reason: z
      .string()
      .min(1)
      .nullable()
      .describe(
        "Why the rollout ended, e.g. success, fail, max_turns, abandon; null when the source does not say.",
      ),
    turns: z.array(Turn),
    tokens: z
      .int()
      .nonnegative()
      .nullable()
      .describe("Tokens that the policy generated; null when not counted."),
    logprob_mean: z.number().optional().describe("Mean log-probability per generated token."),
    policy: z.string().nullable().describe("Checkpoint or model that generated it; null when not recorded."),
    harness: z
      .string()
      .nullable()
      .describe("Commit of the harness that generated it; null when not recorded."),
    seed: z.int().nullable().describe("Seed of the run; null when not recorded."),
    started_at: z.string().nullable().describe("ISO 8601 time; null when not recorded."),
    duration_ms: z
      .number()
      .nonnegative()
      .nullable()
      .describe("Wall time in milliseconds; null when not measured."),
    extra: z.record(z.string(), z.unknown()).describe("Anything else the trainer wants to keep."),
  })
  .refine((r) => r.outcome !== "unknown" || r.unknown_reason !== undefined, {
    path: ["unknown_reason"],
    message: "An unknown outcome needs unknown_reason.",
  });
export type Rollout = z.infer<typeof Rollout>;

/** The fields of a rollout in the order of the contract. */
export const rolloutFieldNames: readonly string[] = Object.keys(Rollout.shape);

/** One line of metrics.jsonl: the training step and any number of named values. */
export const MetricRecord = z.object({ step: z.int().nonnegative() }).catchall(z.number().nullable());
export type MetricRecord = z.infer<typeof MetricRecord>;
