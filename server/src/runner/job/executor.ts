import type { CannotConfine, Confine } from "../confine/step.ts";
import type { JobRequest } from "./jobSpec.ts";
import type { SubmitGroup } from "./submitGroup.ts";
import type { TrainerData } from "./trainerData.ts";

/** queued: accepted, not started. running: started, not over. exited: over, with a code. lost: over, nobody knows how. */
export type JobState = "queued" | "running" | "exited" | "lost";

export interface JobStatus {
  readonly id: string;
  readonly state: JobState;
  /** Exit code of the trainer; null while it runs, when a signal ended it, and when it is lost. */
  readonly exitCode: number | null;
  /** Name of the signal that ended it, e.g. SIGKILL. */
  readonly signal: string | null;
  /** It was stopped because its budget had passed. */
  readonly timedOut: boolean;
  /** It was stopped, or never started, because somebody cancelled it. */
  readonly cancelled: boolean;
  /** It was stopped because its evidence was over the limit. */
  readonly oversize: boolean;
  /** Why it is lost, could not be started or waits, as one clause. */
  readonly reason: string | null;
  /** Why it ended as it did, as one clause, where the machine says more than a code. */
  readonly because?: string;
  /** What to correct when it could not be started; the trainer's command when it is left out. */
  readonly mend?: string;
  /** Seconds since its keeper last showed that it lives; null when it never did. */
  readonly heartbeatAgeSeconds: number | null;
  /** Seconds that it has run, or ran. */
  readonly seconds: number;
}

/** Whether nothing more will happen to the job. */
export function isOver(status: JobStatus): boolean {
  return status.state === "exited" || status.state === "lost";
}

export interface WaitOptions {
  /** Stops waiting; the job runs on. */
  readonly signal?: AbortSignal;
  /** Called with every status that is read, one call at a time. */
  readonly onPoll?: (status: JobStatus) => void | Promise<void>;
}

/** Runs jobs somewhere. Every call may be repeated: after a lost connection, after a restart, from another process. */
export interface Executor {
  /**
   * Starts a job unless it has been started. `together`: jobs that may be handed to the machine in one go.
   * @throws HarnessError badInput when the id is taken by a job with another spec, diskFull
   */
  submit(request: JobRequest, together?: SubmitGroup): Promise<void>;
  /** @throws HarnessError notFound */
  status(id: string): Promise<JobStatus>;
  /**
   * Asks the job to end: TERM once, KILL after its grace. Returns at once; a job that is over stays as it is.
   * @throws HarnessError notFound
   */
  cancel(id: string): Promise<void>;
  /** The status in which the job ended. @throws HarnessError notFound, cancelled (by `signal`) */
  wait(id: string, options?: WaitOptions): Promise<JobStatus>;
  /** The folder on this machine that holds, or will hold, the job's files or their copy. */
  directoryOf(id: string): string;
  /** How jobs are confined there, and what of that machine none of them may see; or why they cannot be. */
  confinement(): Promise<Confine | CannotConfine>;
  /** Present when jobs run on another machine. */
  readonly elsewhere?: Elsewhere;
}

/** Told now and then how far something is that is on its way between two machines; `total` is null while it is unknown. */
export type OnTransfer = (progress: { readonly bytes: number; readonly total: number | null }) => void;

/** What a run reads beside its commit. Paths are on this machine. */
export interface RunNeeds {
  /** The policy to start from. */
  readonly policyIn?: string | undefined;
  readonly data: readonly TrainerData[];
  /** Files of the commit that the job does not get: paths from its top level. */
  readonly withheld?: readonly string[];
}

export interface PathsThere {
  readonly projectDirectory: string;
  /** The folder of the run. */
  readonly run: string;
  readonly policyOut: string;
  readonly policyIn: string | undefined;
  /** In the order in which the run needs them. */
  readonly data: readonly TrainerData[];
}

/** Code and policies of runs on another machine. Paths of that machine are only handed back to it. */
export interface Elsewhere {
  /** Name of the machine in evotrainer.yaml. */
  readonly host: string;
  /** Asks the machine for a sign of life, once. @throws HarnessError hostUnreachable, hostRefused */
  reach(): Promise<void>;
  /** Where things of a run lie there; the same answer every time. */
  paths(run: string, needs: RunNeeds): Promise<PathsThere>;
  /** Checks the commit out for a run and sends what it needs. May be repeated. */
  send(run: string, commit: string, needs: RunNeeds, onProgress?: OnTransfer): Promise<void>;
  /** The first of the paths, relative to the project, that the run left otherwise than the commit has it. */
  changedPath(
    run: string,
    commit: string,
    paths: readonly string[],
    withheld: readonly string[],
  ): Promise<string | undefined>;
  /** The first of the paths that was altered since the run's checkout was made, whatever is there now. */
  touchedPath(run: string, paths: readonly string[]): Promise<string | undefined>;
  /** all: the policy of every run is brought here when it is over; kept: when its version is kept, or a run needs it. */
  readonly policies: "all" | "kept";
  /** Whether the run has left a policy there. */
  hasPolicy(run: string): Promise<boolean>;
  /** Brings the policy that the run left to the path `to` here; does nothing when it left none. */
  fetchPolicy(run: string, to: string, onProgress?: OnTransfer): Promise<void>;
  /** Brings the other files that are wanted of the run into the folder `to` here. */
  fetchFiles(run: string, to: string, onProgress?: OnTransfer): Promise<void>;
  /** Frees what only the running job needed. */
  release(run: string): Promise<void>;
}
