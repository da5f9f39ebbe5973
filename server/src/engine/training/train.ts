import type { Split } from "../../../../shared/model/rollout.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { LoopEvent } from "../../loop/events.ts";
import type { TrainRequest, TrainResult } from "../../loop/ports.ts";
import type { Project } from "../../project/project.ts";
import type { Fleet } from "../../runner/fleet/fleet.ts";
import type { JobProgress } from "../../runner/job/progress.ts";
import type { JobOutcome } from "../../runner/job/outcome.ts";
import { writeRecord } from "../../runner/job/jobRecords.ts";
import { jobCost } from "../budget/jobCost.ts";
import { hasPolicy, policyFor } from "./policiesOfRuns.ts";
import { armTripwires, TripwireWatch } from "./tripwires.ts";
import { policyPath, runFolder, runId, runsOf, type RunName } from "../workspace/runs.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** What training needs of the engine. */
export interface TrainEngine {
  readonly workspace: Workspace;
  readonly store: Store;
  readonly fleet: Fleet;
  readonly project: Project;
  readonly emit: (event: LoopEvent) => void;
  /** The seeds that a version was trained with. */
  readonly seedsOf: (version: string) => Promise<readonly number[]>;
}

export interface TrainOptions {
  readonly signal: AbortSignal;
  /** Called when the first of the jobs has its place. */
  readonly begun?: (() => void) | undefined;
}

/**
 * Runs a version's jobs side by side, one per seed, on whatever machines are free. What it says does not depend on which
 * ends first: the failure of the first seed that fails counts, and what comes after that seed is cancelled.
 */
export async function train(
  engine: TrainEngine,
  request: TrainRequest,
  { signal, begun }: TrainOptions,
): Promise<TrainResult> {
  const { workspace, project, fleet, emit } = engine;
  const work = request.work.type === "measure" ? request.work.split : request.work.type;
  const names = runsOf(request.version, work, request.seeds);
  const cancels = names.map(() => new AbortController());
  const watches = await watchesOf(engine, request, names, cancels);
  const { policyOf: from } = request;
  const showProgress = progressOf(names.length, (p) =>
    emit({
      type: "jobProgress",
      version: request.version,
      seed: request.seeds[0] ?? 1,
      step: p.step ?? 0,
      stepsTotal: p.stepsTotal,
      reward: p.reward,
      etaSeconds: p.etaSeconds,
    }),
  );
  let isBegun = false;
  const running = fleet.runAll(
    names.map((name, i) => ({
      repository: workspace.repository,
      commit: request.commit,
      project: project.spec,
      version: request.version,
      run: runId(name),
      group: { name: `${request.version}.${work}`, index: i },
      seed: name.seed,
      splits: splitsOf(request),
      ...(from === null ? {} : { policyIn: () => policyFor(engine, from, name.seed) }),
      policyOut: policyPath(workspace, name),
      budgetSeconds: project.spec.trainer.budgetSeconds,
      detach: signal,
      ...(cancels[i] === undefined ? {} : { signal: cancels[i].signal }),
      onPlaced: () => {
        if (!isBegun) begun?.();
        isBegun = true;
      },
      onProgress: (p) => {
        void watches[i]?.look();
        showProgress(i, p);
      },
      onTransfer: ({ what, bytes, total }) =>
        emit({ type: "transfer", version: request.version, seed: name.seed, what, bytes, total }),
    })),
  );
  // Another measurement of a policy need not write one.
  const mustSave = request.work.type === "train" || from === null;
  const judged = running.map(async (job, i): Promise<TrainResult> => {
    const name = names[i];
    try {
      const outcome = await withReason(engine, await job, { name, reason: watches[i]?.reason });
      const result =
        name !== undefined && mustSave ? await withPolicy(engine, outcome, name) : resultOf(outcome);
      if (result.failure !== null) for (const later of cancels.slice(i + 1)) later.abort();
      return result;
    } catch (e) {
      const isCancelled = cancels[i]?.signal.aborted === true && !signal.aborted;
      // It never began, and an earlier seed says why.
      if (isCancelled && HarnessError.is(e, "cancelled"))
        return { failure: "harness_abort", message: "It was no longer wanted.", seconds: 0 };
      throw e;
    }
  });
  const settled = await Promise.allSettled(judged);
  const cost = await jobCost(workspace, names);
  let seconds = 0;
  for (const one of settled) {
    if (one.status === "rejected") throw one.reason;
    seconds += one.value.seconds;
    if (one.value.failure !== null) return { ...one.value, seconds, cost };
  }
  return { failure: null, message: "finished", seconds, cost };
}

function splitsOf({ work }: TrainRequest): readonly Split[] {
  switch (work.type) {
    case "train":
      return work.measured === "apart" ? ["train"] : ["train", "selection"];
    case "measure":
      return [work.split];
    case "again":
      return ["selection"];
  }
}

const resultOf = ({ failure, message, seconds }: JobOutcome): TrainResult => ({ failure, message, seconds });

/** Projects, as a commit has them, of which it was said why a tripwire stops nothing. */
const told = new WeakSet<Project>();

/** A watch for each job that trains, with the tripwires that may stop it; none where the project names none. */
async function watchesOf(
  { store, project, workspace, emit }: TrainEngine,
  { work }: TrainRequest,
  names: readonly RunName[],
  cancels: readonly AbortController[],
): Promise<readonly TripwireWatch[]> {
  if (work.type !== "train") return [];
  const { armed, notes } = await armTripwires(store, project);
  if (!told.has(project)) for (const message of notes) emit({ type: "note", message });
  told.add(project);
  return names.map(
    (name, i) =>
      new TripwireWatch(armed, runFolder(workspace, runId(name)), {
        stop: () => cancels[i]?.abort(),
        failed: (message) => emit({ type: "note", message }),
        metricNames: project.spec.metricNames,
      }),
  );
}

/** A job that a tripwire stopped says so instead of that it was cancelled; one that had ended by then stays as it is. */
async function withReason(
  engine: TrainEngine,
  outcome: JobOutcome,
  { name, reason }: { readonly name: RunName | undefined; readonly reason: string | undefined },
): Promise<JobOutcome> {
  if (reason === undefined || outcome.failure !== "harness_abort" || name === undefined) return outcome;
  const stopped: JobOutcome = { ...outcome, message: reason };
  // Whoever looks at the job finds the same reason as in the lineage.
  await writeRecord(runFolder(engine.workspace, runId(name)), "outcome.json", stopped);
  return stopped;
}

async function withPolicy(engine: TrainEngine, outcome: JobOutcome, name: RunName): Promise<TrainResult> {
  if (!outcome.ok || (await hasPolicy(engine, name))) return resultOf(outcome);
  const message = `The trainer exited with 0 but left no policy; check that it writes to EVO_POLICY_OUT (${policyPath(engine.workspace, name)}).`;
  const judged: JobOutcome = { ...outcome, ok: false, failure: "incomplete", message };
  // Whoever looks at the job finds the same verdict as in the lineage.
  await writeRecord(runFolder(engine.workspace, runId(name)), "outcome.json", judged);
  return resultOf(judged);
}

/** The progress of several jobs as that of one: the slowest of them, and the mean of their rewards. */
function progressOf(count: number, show: (p: JobProgress) => void): (job: number, p: JobProgress) => void {
  const all: (JobProgress | undefined)[] = Array.from({ length: count });
  let told = "";
  return (job, p) => {
    all[job] = p;
    const known = all.filter((one) => one !== undefined);
    const rewards = known.map(({ reward }) => reward).filter((r) => r !== null);
    const slowest = known.reduce((a, b) => ((b.step ?? 0) < (a.step ?? 0) ? b : a), p);
    const etas = known.map(({ etaSeconds }) => etaSeconds).filter((s) => s !== null);
    const key = `${slowest.step ?? ""} ${p.state}`;
    if (key === told) return;
    told = key;
    show({
      ...slowest,
      reward: rewards.length === 0 ? null : rewards.reduce((sum, r) => sum + r, 0) / rewards.length,
      etaSeconds: etas.length === 0 ? null : Math.max(...etas),
    });
  };
}
