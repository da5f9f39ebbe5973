// A namespace, so that a webview carries only the part of zod that it uses.
import * as z from "zod";
import { JobRow } from "./job.ts";

/** What the view of curves is told and what it asks; a message of another version is dropped. */
export const runsProtocol = 1;

/** What is drawn of a training job, in this order, by what diagnostics call the metrics. */
export const runMetrics = ["reward", "score", "kl", "entropy", "flat_groups", "response_length"] as const;
export const RunMetric = z.enum(runMetrics);
export type RunMetric = z.infer<typeof RunMetric>;

/** More jobs than can be told apart in one picture. */
export const mostRuns = 10;

/** One training job with its curves, thinned where there are many steps. */
export const RunCurves = z.object({
  job: JobRow,
  /** Why it is shown: it runs, it trained the parent of one that runs, a person asked for it, or it is one of the newest. */
  because: z.enum(["running", "parent", "asked", "newest"]),
  series: z.array(
    z.object({
      metric: RunMetric,
      name: z.string().describe("What the trainer calls it."),
      steps: z.array(z.number()),
      values: z.array(z.number()),
    }),
  ),
  /** The version that its version was made of. */
  parent: z.string().nullable().exactOptional(),
  /** The version whose change of the reward it trains by, and that change: rewards of other terms are on another scale. */
  terms: z.object({ of: z.string(), change: z.string() }).exactOptional(),
  /** Alarms on the curves that have fired: the first step, what they look at, and what they say. */
  alarms: z.array(
    z.object({ name: z.string(), step: z.number(), metrics: z.array(z.string()), message: z.string() }),
  ),
});
export type RunCurves = z.infer<typeof RunCurves>;

export const RunsShown = z.object({
  runs: z.array(RunCurves),
  /** Further training jobs that have curves, the newest first. */
  others: z.array(z.object({ id: z.string(), version: z.string(), seed: z.number().nullable() })),
});
export type RunsShown = z.infer<typeof RunsShown>;

/** How often an alarm was false: of the archived runs that were healthy and log what it looks at, those in which it fired. */
export const AlarmRecord = z.object({ name: z.string(), healthy: z.number(), falseAlarms: z.number() });
export type AlarmRecord = z.infer<typeof AlarmRecord>;

export const RunsState = z.discriminatedUnion("type", [
  z.object({ type: z.literal("loading") }),
  z.object({ type: z.literal("none"), cause: z.string(), advice: z.string() }),
  z.object({
    type: z.literal("runs"),
    shown: RunsShown,
    /** Of the alarms that fired; it comes after the curves. */
    records: z.array(AlarmRecord).optional(),
  }),
]);
export type RunsState = z.infer<typeof RunsState>;

const envelope = { protocol: z.literal(runsProtocol) };

export const ToRunsView = z.object({ ...envelope, type: z.literal("state"), state: RunsState });
export type ToRunsView = z.infer<typeof ToRunsView>;

/** From the page to the extension. */
export const FromRunsView = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("ready") }),
  /** Shows these jobs besides those that run. */
  z.object({ ...envelope, type: z.literal("ask"), jobs: z.array(z.string()).max(mostRuns) }),
  z.object({ ...envelope, type: z.literal("open"), job: z.string() }),
  z.object({ ...envelope, type: z.literal("cancel"), job: z.string() }),
]);
export type FromRunsView = z.infer<typeof FromRunsView>;

/** What the page keeps over a reload. */
export const RunsUiState = z.object({
  version: z.literal(1),
  jobs: z.array(z.string()).max(mostRuns),
  /** How much of the curve before a step counts at it, 0 to 1. */
  smoothing: z.number(),
});
export type RunsUiState = z.infer<typeof RunsUiState>;
