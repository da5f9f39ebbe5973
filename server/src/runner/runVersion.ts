import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Split } from "../../../shared/model/rollout.ts";
import type { ProjectSpec } from "../../../shared/spec/project.ts";
import { codeOf, HarnessError } from "../base/errors.ts";
import { addCheckout, checkoutDirectory, removeCheckout } from "../lineage/checkouts/checkout.ts";
import type { Repository } from "../lineage/repository.ts";
import { dataDigests } from "../project/identity/dataDigest.ts";
import { evaluationEntries, withheldFiles } from "../project/identity/evaluationEntries.ts";
import { decideConfinement, readConfinement, type Confinement } from "./job/confinement.ts";
import { unseenPath } from "./confine/unseen.ts";
import { alteredBy } from "./job/alteredBy.ts";
import { writeAsked } from "./job/asked.ts";
import { closeRun } from "./job/closeRun.ts";
import { stampsOf, writeWatch } from "./job/evaluationWatch.ts";
import { readItemIds, type EvidenceSummary } from "./job/evidenceSummary.ts";
import type { Executor, JobStatus, OnTransfer, PathsThere } from "./job/executor.ts";
import { classifyJob, type JobVerdict } from "./job/failure.ts";
import { adoptRecords, writeRecord } from "./job/jobRecords.ts";
import { JobSpec, type JobRequest } from "./job/jobSpec.ts";
import { readOutcome, type JobOutcome } from "./job/outcome.ts";
import { assertPolicy, isFileOrFolder, notePolicy } from "./job/policyRecord.ts";
import { readProgress, type JobProgress } from "./job/progress.ts";
import { claimRun, releaseRun } from "./job/runPlace.ts";
import type { SubmitGroup } from "./job/submitGroup.ts";
import { readLastLine } from "./lastLine.ts";
import { pathsOf, type JobPaths } from "./job/jobPaths.ts";
import { linkData, readData, trainerData, writeData, type TrainerData } from "./job/trainerData.ts";

export interface RunRequest {
  readonly repository: Repository;
  readonly commit: string;
  readonly project: ProjectSpec;
  readonly version: string;
  readonly seed: number;
  /** What the trainer has to produce rollouts of. Leave audit out until the version is promoted. */
  readonly splits: readonly Split[];
  /** Folder of the policy to start from; left out: the trainer's base policy. */
  readonly policyIn?: string;
  /** Where the trainer saves the policy; `policy` in the run's folder by default. */
  readonly policyOut?: string;
  readonly budgetSeconds?: number;
  readonly graceSeconds?: number;
  readonly evidenceLimitBytes?: number;
  readonly executor: Executor;
  /** GPUs that the job has there, as far as it is known before; for what it costs. */
  readonly gpus?: number;
  /** Those that are handed to the machine with it. */
  readonly together?: SubmitGroup;
  /** Id of the run; the same id continues or collects the same job. Default `<version>-seed<seed>`. */
  readonly run?: string;
  /** Cancels the job; the outcome is then harness_abort. */
  readonly signal?: AbortSignal;
  /** Stops watching and rejects with HarnessError cancelled; the job runs on and is collected by the next call. */
  readonly detach?: AbortSignal;
  readonly onProgress?: (progress: JobProgress) => void;
  /** Called once the job itself is over, before what it left is closed and judged. */
  readonly onOver?: () => void;
  /** Told at most once a second how far a policy or other files are on their way from or to another machine. */
  readonly onTransfer?: (transfer: RunTransfer) => void;
}

/** Something of a run on its way between two machines. */
export interface RunTransfer {
  readonly what: "inputs there" | "policy here" | "files here";
  readonly bytes: number;
  readonly total: number | null;
}

/**
 * Trains and evaluates one version with one seed: checkout, job, the evaluation against the commit, verdict. May be called
 * again after a crash at any point: a job that runs is watched on, one that has ended meanwhile is only collected.
 * @throws HarnessError projectInvalid, badInput, gitFailed, diskFull, cancelled
 */
export async function runJob(request: RunRequest): Promise<JobOutcome> {
  const { repository, executor, commit } = request;
  const run = request.run ?? `${request.version}-seed${request.seed}`;
  const directory = executor.directoryOf(run);
  const checkout = checkoutDirectory(repository, run);
  const projectDirectory = join(checkout, repository.prefix);

  await adoptRecords(directory);
  const known = await readOutcome(directory);
  if (known !== undefined) {
    if (known.commit !== commit)
      throw new HarnessError(
        "badInput",
        `The run ${run} belongs to commit ${known.commit}; choose another id.`,
      );
    // An engine that was killed right after the outcome has left the checkouts, that of the host among them.
    await releaseCheckouts(request, run, checkout);
    return { ...known, runDirectory: directory };
  }
  const { elsewhere } = executor;
  const job = await submitRun(request, { run, directory, checkout, projectDirectory });
  const status = await watch(request, run, directory);
  request.onOver?.();
  const evidence = await closeRun({
    repository,
    domain: request.project.domain,
    version: request.version,
    run,
    directory,
  });
  const policy = policyDirectory(request, directory);
  if (elsewhere?.policies === "all")
    await elsewhere.fetchPolicy(run, policy, telling(request, "policy here"));
  await elsewhere?.fetchFiles(run, join(directory, "artefacts"), telling(request, "files here"));
  const isFull = await isFilled(policy);
  const judged = await judge({
    request,
    run,
    job: JobSpec.parse(job),
    status,
    evidence,
    directory,
    checkout,
    projectDirectory,
  });
  const isFit = (await isFileOrFolder(policy)) && (!isFull || (await notePolicy(directory, policy)));
  const verdict = isFit ? judged : unfitPolicy(judged, policy);
  const outcome: JobOutcome = {
    ok: verdict.failure === null,
    ...verdict,
    run,
    commit,
    runDirectory: directory,
    policy: isFull ? policy : null,
    seconds: status.seconds,
    unconfined: (await readConfinement(directory))?.unconfined,
  };
  await writeRecord(directory, "outcome.json", outcome);
  await releaseCheckouts(request, run, checkout);
  return outcome;
}

/** What the job left as its policy leads elsewhere, or is no thing to read. */
const unfitPolicy = (judged: JobVerdict, policy: string): JobVerdict =>
  judged.failure !== null
    ? judged
    : {
        failure: "incomplete",
        message: `The policy ${policy} is a pipe, or holds links to other files, sparse files, or folders nested too deeply, so no job can start from it; make the trainer save plain files to EVO_POLICY_OUT.`,
      };

/** Removes the checkouts of a run that has ended, ours last: while it is here, that of the host may be there as well. */
async function releaseCheckouts(
  { repository, executor }: RunRequest,
  run: string,
  checkout: string,
): Promise<void> {
  try {
    if (existsSync(checkout)) await executor.elsewhere?.release(run);
  } catch (e) {
    // The outcome is known; `host clean` removes what is left on a host that does not answer any more.
    if (!HarnessError.is(e, "hostUnreachable")) throw e;
  }
  await removeCheckout(repository, checkout);
}

function telling(request: RunRequest, what: RunTransfer["what"]): OnTransfer {
  let told = performance.now();
  return (progress) => {
    if (performance.now() - told < 1000) return;
    told = performance.now();
    request.onTransfer?.({ what, ...progress });
  };
}

interface RunFolders {
  readonly run: string;
  readonly directory: string;
  readonly checkout: string;
  readonly projectDirectory: string;
}

/** Claims the place, and submits the job there unless it has it. */
async function submitRun(
  request: RunRequest,
  { run, directory, checkout, projectDirectory }: RunFolders,
): Promise<JobRequest> {
  const { repository, executor, project } = request;
  const { elsewhere } = executor;
  const isNew = await claimRun(directory, run, {
    host: elsewhere?.host ?? null,
    at: new Date().toISOString(),
    budgetSeconds: request.budgetSeconds ?? project.trainer.budgetSeconds,
    gpus: request.gpus ?? 0,
  });
  let isSent = false;
  let isThere = !isNew;
  try {
    isThere = await isSubmitted(executor, run);
    const { data, told } = await dataOf(request, directory, isThere);
    const needs = { policyIn: request.policyIn, data };
    const there = await elsewhere?.paths(run, needs);
    const here = { cwd: projectDirectory, policyOut: policyDirectory(request, directory), ...needs };
    const paths = { ...pathsOf(here, there), ...(told === undefined ? {} : { data: told }) };
    if (!isThere) {
      assertNotCancelled(request.signal, run);
      await prepareRun(request, { run, directory, checkout, projectDirectory }, { paths, there, data });
    }
    const confinement = await readConfinement(directory);
    isSent = true;
    const job = jobRequest(request, run, paths, confinement);
    await executor.submit(job, request.together);
    return job;
  } catch (e) {
    request.together?.leave(run);
    // What was sent may still arrive, from us or from an engine that was killed: then the run stays where it is.
    if (isSent)
      isThere = HarnessError.is(e, "hostUnreachable") || (await isSubmitted(executor, run).catch(() => true));
    if (!isThere) await removeCheckout(repository, checkout);
    if (!isThere && isNew) await releaseRun(directory);
    throw e;
  }
}

/** Checks out, lays and sends what a run needs, and writes down how it was before its job. */
async function prepareRun(
  request: RunRequest,
  { run, directory, checkout, projectDirectory }: RunFolders,
  { paths, there, data }: RunInputs,
): Promise<void> {
  const { repository, executor, commit, project, policyIn } = request;
  const withheld = await withheldFiles(repository, commit, project, request.splits);
  const entries = (await evaluationEntries(repository, commit, project)).filter(
    ({ path }) => !withheld.includes(path),
  );
  const evaluation = entries.map(({ path }) => path);
  if (policyIn !== undefined) await assertPolicy(policyIn);
  await decideConfinement({ ...request, run, directory }, entries, {
    ...paths,
    run: there?.run ?? directory,
  });
  await addCheckout(repository, commit, checkout, withheld);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await linkData(projectDirectory, data);
  const watched = {
    stamps: await stampsOf(checkout, evaluation),
    withheld,
    data: await dataDigests(repository, project.trainer.data),
  };
  // The disk takes as long for one as for all of them. None may still be written when this has failed.
  const written = await Promise.allSettled([
    writeAsked(directory, { ...request, projectDirectory }),
    writeWatch(directory, watched),
    writeData(directory, there?.data ?? data),
  ]);
  for (const one of written) if (one.status === "rejected") throw one.reason;
  const needs = { policyIn, data, withheld };
  await executor.elsewhere?.send(run, commit, needs, telling(request, "inputs there"));
}

/** What a run reads, or what its job was told of it when it was submitted: the data may have changed since, or gone. */
async function dataOf(
  { repository, project }: RunRequest,
  directory: string,
  isThere: boolean,
): Promise<{ readonly data: readonly TrainerData[]; readonly told?: readonly TrainerData[] | undefined }> {
  return isThere
    ? { data: [], told: await readData(directory) }
    : { data: await trainerData(repository.root, project) };
}

function policyDirectory(request: RunRequest, directory: string): string {
  return request.policyOut ?? join(directory, "policy");
}

/** What a run reads here, and where things of it are on the machine that runs it. */
interface RunInputs {
  readonly paths: JobPaths;
  readonly there: PathsThere | undefined;
  readonly data: readonly TrainerData[];
}

function jobRequest(
  request: RunRequest,
  run: string,
  { cwd, policyOut, policyIn, data }: JobPaths,
  confinement: Confinement | undefined,
): JobRequest {
  const { trainer } = request.project;
  return {
    id: run,
    command: trainer.command,
    cwd,
    environment: {
      ...trainer.environment,
      EVO_HARNESS: request.commit,
      EVO_SEED: String(request.seed),
      EVO_SPLITS: request.splits.join(","),
      EVO_POLICY_OUT: policyOut,
      ...(policyIn === undefined ? {} : { EVO_POLICY_IN: policyIn }),
      ...(data.length === 0
        ? {}
        : { EVO_DATA: JSON.stringify(Object.fromEntries(data.map(({ path, at }) => [path, at]))) }),
    },
    ...(confinement?.confine === undefined ? {} : { confine: confinement.confine }),
    budgetSeconds: request.budgetSeconds ?? trainer.budgetSeconds,
    ...(request.graceSeconds === undefined ? {} : { graceSeconds: request.graceSeconds }),
    ...(request.evidenceLimitBytes === undefined ? {} : { evidenceLimitBytes: request.evidenceLimitBytes }),
  };
}

function assertNotCancelled(signal: AbortSignal | undefined, run: string): void {
  if (signal?.aborted === true)
    throw new HarnessError("cancelled", `The run ${run} was cancelled before it was submitted.`);
}

async function isSubmitted(executor: Executor, run: string): Promise<boolean> {
  try {
    await executor.status(run);
    return true;
  } catch (e) {
    if (HarnessError.is(e, "notFound")) return false;
    throw e;
  }
}

async function watch(request: RunRequest, run: string, directory: string): Promise<JobStatus> {
  const { executor, onProgress, signal, detach } = request;
  const wake = new AbortController();
  const onCancel = () => void executor.cancel(run).catch((e: unknown) => wake.abort(e));
  signal?.addEventListener("abort", onCancel);
  if (signal?.aborted === true) onCancel();
  let told = "";
  try {
    return await executor.wait(run, {
      signal: detach === undefined ? wake.signal : AbortSignal.any([wake.signal, detach]),
      onPoll: async (status) => {
        if (onProgress === undefined) return;
        const progress = await readProgress(directory, status);
        const key = `${progress.state} ${progress.step ?? ""}`;
        if (key !== told) onProgress(progress);
        told = key;
      },
    });
  } catch (e) {
    throw wake.signal.aborted ? wake.signal.reason : e;
  } finally {
    signal?.removeEventListener("abort", onCancel);
  }
}

interface Ended {
  readonly request: RunRequest;
  readonly run: string;
  readonly job: JobSpec;
  readonly status: JobStatus;
  readonly evidence: EvidenceSummary;
  readonly directory: string;
  readonly checkout: string;
  readonly projectDirectory: string;
}

async function judge(ended: Ended): Promise<JobVerdict> {
  const { request, job, status, evidence, directory, projectDirectory } = ended;
  const { project, splits } = request;
  if (!existsSync(projectDirectory))
    return {
      failure: "harness_abort",
      message: `The checkout ${projectDirectory} is gone, so nobody can tell whether the evaluation files changed; run again.`,
    };
  const altered = await alteredBy({ ...request, ...ended });
  const expected = await Promise.all(
    splits.map(async (split) => ({
      split,
      items: await readItemIds(join(projectDirectory, project.evaluation.splits[split])),
    })),
  );
  const lastLine = await readLastLine(directory);
  const isConfinedHere =
    request.executor.elsewhere === undefined && (await readConfinement(directory))?.confine !== undefined;
  const path = job.environment["PATH"] ?? process.env["PATH"] ?? "";
  const asked = { program: job.command[0] ?? "", path };
  return classifyJob({
    status,
    unseen: isConfinedHere ? unseenPath([status.reason ?? "", lastLine], asked) : undefined,
    evidence,
    expected,
    samples: project.evaluation.samples ?? null,
    altered,
    budgetSeconds: job.budgetSeconds,
    evidenceLimitBytes: job.evidenceLimitBytes,
    lastLine,
    directory,
  });
}

async function isFilled(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length > 0;
  } catch (e) {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR") return false;
    throw e;
  }
}
