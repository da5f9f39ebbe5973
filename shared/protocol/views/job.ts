// A namespace, so that a webview carries only the part of zod that it uses.
import * as z from "zod";
import { verdicts } from "../../words/decisions.ts";

/** What the view of a job is told and what it asks; a message of another version is dropped. */
export const jobProtocol = 1;

/**
 * queued: waits for its machine. running: the trainer works. checking: it ended and is not judged yet. finished: good.
 * failed, cancelled, lost: it ended otherwise.
 */
export const jobStates = [
  "running",
  "queued",
  "checking",
  "failed",
  "lost",
  "cancelled",
  "finished",
] as const;
export const JobViewState = z.enum(jobStates);
export type JobViewState = z.infer<typeof JobViewState>;

/** What a job prints on. */
export const logStreams = ["stdout", "stderr"] as const;

const jobWorks = ["train", "selection", "audit", "again", "other"] as const;

/** Why a job failed: its class, what happened in a sentence, and what to do. */
const JobFailure = z.object({ class: z.string().nullable(), message: z.string(), advice: z.string() });
type JobFailure = z.infer<typeof JobFailure>;

/** How a version was found to differ from another one. */
export const VersionCompared = z.object({
  against: z.string(),
  difference: z.number(),
  verdict: z.enum(verdicts),
  /** How many of its seeds were compared; absent where that is not known. */
  seeds: z.number().exactOptional(),
});

/** One job. Times in seconds; `reward` is the newest of its metrics; money only where its host has a price. */
export const JobRow = z.object({
  id: z.string(),
  version: z.string(),
  work: z.enum(jobWorks),
  seed: z.number().nullable(),
  /** 1 for the first run, 2 for its first rerun. */
  attempt: z.number(),
  /** The host's name in evotrainer.yaml; null for this machine. */
  host: z.string().nullable(),
  state: JobViewState,
  /** What a queued job waits for. */
  waitsFor: z.string().nullable(),
  startedAt: z.string().nullable(),
  seconds: z.number(),
  step: z.number().nullable(),
  stepsTotal: z.number().nullable(),
  reward: z.number().nullable(),
  etaSeconds: z.number().nullable(),
  /** Share of the GPUs that was in use when the trainer last measured it; null where it does not. */
  gpuUse: z.number().nullable(),
  gpus: z.number(),
  cost: z.object({ amount: z.number(), currency: z.string() }).nullable(),
  failure: JobFailure.nullable(),
  /** Of a training job that finished: the step at which its score had fallen; absent where it did not. */
  collapsedAt: z.number().exactOptional(),
  /** True if its version was decided to be invalid: what the job reached does not count. */
  notValid: z.literal(true).exactOptional(),
  /** How its version was found to differ from the one that it was decided against, in [-1, 1]; absent where it was not compared. */
  compared: VersionCompared.exactOptional(),
  /** Labels of its version that are over a threshold of their alert, the critical ones first; absent where none is. */
  alerts: z
    .array(
      z.object({
        name: z.string(),
        rate: z.number().nullable(),
        alert: z.enum(["warning", "critical"]),
        over: z.literal("group").exactOptional(),
      }),
    )
    .exactOptional(),
  /** What became of its evidence after it had ended, and what to do; absent where nothing did. */
  changed: z.string().exactOptional(),
});
export type JobRow = z.infer<typeof JobRow>;

/** What the jobs of one machine took, those that run with what they took so far. */
export const MachineSpending = z.object({
  /** The host's name in evotrainer.yaml; here for this machine. */
  host: z.string(),
  jobs: z.number(),
  /** Of those, how many are not over. */
  running: z.number(),
  hours: z.number(),
  /** Null where it has no price. */
  cost: z.object({ amount: z.number(), currency: z.string() }).nullable(),
  /** What counts for its budget, with all that running jobs may take; null where it has none. */
  budget: z
    .object({
      per: z.enum(["evolution", "day"]),
      hours: z.object({ taken: z.number(), limit: z.number() }).nullable(),
      cost: z.object({ taken: z.number(), limit: z.number() }).nullable(),
    })
    .nullable(),
});
export type MachineSpending = z.infer<typeof MachineSpending>;

/** A page of jobs, those that are not over first, then the newest. */
export const JobsPage = z.object({
  jobs: z.array(JobRow),
  total: z.number(),
  active: z.number(),
  next: z.string().optional(),
  /** By machine, of all jobs of the project. */
  spending: z.array(MachineSpending),
});
export type JobsPage = z.infer<typeof JobsPage>;

/** One job with its curve and the end of what it printed. */
export const JobDetail = z.object({
  job: JobRow,
  /** Folder of the run on this machine. */
  directory: z.string(),
  commit: z.string().nullable(),
  /** Reward over steps, thinned where there are many. */
  curve: z.array(z.object({ step: z.number(), reward: z.number() })),
  /** The last lines of each stream, oldest first. */
  lastLines: z.object({ stdout: z.array(z.string()), stderr: z.array(z.string()) }),
});
export type JobDetail = z.infer<typeof JobDetail>;

/** A piece of a log. `next` is where the following piece starts, in bytes. */
export const LogPiece = z.object({
  text: z.string(),
  next: z.number(),
  size: z.number(),
  /** The log was cut at its limit and began anew since `offset` was given. */
  restarted: z.boolean(),
  /** Nothing more will be written. */
  over: z.boolean(),
});
export type LogPiece = z.infer<typeof LogPiece>;

/** What the view of a job shows. */
export const JobViewModel = z.discriminatedUnion("type", [
  z.object({ type: z.literal("loading") }),
  z.object({ type: z.literal("none"), cause: z.string(), advice: z.string() }),
  z.object({ type: z.literal("job"), detail: JobDetail }),
]);
export type JobViewModel = z.infer<typeof JobViewModel>;

const jobActions = ["log", "cancel", "rerun", "openFolder", "rollouts", "refresh"] as const;
const envelope = { protocol: z.literal(jobProtocol) };

export const ToJobView = z.object({
  ...envelope,
  type: z.literal("state"),
  root: z.string(),
  state: JobViewModel,
});
export type ToJobView = z.infer<typeof ToJobView>;

/** From the page to the extension. */
export const FromJobView = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("ready") }),
  z.object({ ...envelope, type: z.literal("action"), action: z.enum(jobActions) }),
]);
export type FromJobView = z.infer<typeof FromJobView>;

/** What the page keeps over a reload: which job it shows. */
export const JobUiState = z.object({ version: z.literal(1), root: z.string(), job: z.string() });
export type JobUiState = z.infer<typeof JobUiState>;
