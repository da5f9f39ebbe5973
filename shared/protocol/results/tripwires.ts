import * as z from "zod";

/** An alarm on training curves, and how it did on the runs of the archive. */
const Tripwire = z.object({
  name: z.string(),
  healthy: z.number().describe("Runs whose score rose, among those that log what the alarm looks at."),
  falseAlarms: z.number().describe("Those of them in which it fired at any step."),
  low: z.number().describe("The 95 % interval of the false-alarm rate."),
  high: z.number(),
  collapsed: z.number().describe("Runs whose score fell from its best."),
  early: z
    .number()
    .describe(
      "Those of them in which it fired after half of what the score was to gain, and before it had lost half of the fall.",
    ),
  leadSteps: z
    .number()
    .nullable()
    .describe("The median of the steps between the alarm and that moment; null without any."),
  /** Whether the project wants it to stop jobs, and whether its record allows that. */
  isWanted: z.boolean(),
  mayStop: z.boolean(),
});

export const Tripwires = z.object({
  alarms: z.array(Tripwire),
  runs: z.number().describe("Training runs in the archive, also those whose course cannot be told."),
  limit: z.number().describe("The project's limit of the false-alarm rate, or the default."),
  healthyNeeded: z.number().describe("Healthy runs without a false alarm that the limit takes."),
  unknown: z.array(z.string()).describe("Names in `tripwires.stop` that are no alarm on training curves."),
});
export type Tripwires = z.infer<typeof Tripwires>;
