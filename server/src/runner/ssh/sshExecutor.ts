import { mkdir } from "node:fs/promises";
import { join, posix, resolve } from "node:path";
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { silentLog, type Log } from "../../base/log.ts";
import {
  isOver,
  type Elsewhere,
  type OnTransfer,
  type Executor,
  type JobStatus,
  type WaitOptions,
} from "../job/executor.ts";
import { statusOf } from "../job/jobDirectory.ts";
import type { SubmitGroup } from "../job/submitGroup.ts";
import { JobId } from "../../../../shared/model/jobId.ts";
import { JobSpec, type JobRequest } from "../job/jobSpec.ts";
import { posixChecksum, renderJob } from "../keeper/payload.ts";
import { shellWord } from "../../base/shellWord.ts";
import { parseStatusReport, type JobFile, type StatusReport } from "../keeper/statusReport.ts";
import { submitError } from "../keeper/submitError.ts";
import type { HostShell } from "./hostShell.ts";
import type { HostWork } from "./hostWork.ts";
import { Bandwidth } from "./bandwidth.ts";
import { fetchFiles } from "./fetchFiles.ts";
import type { FollowMeans } from "./followedFile.ts";
import { FollowSlots } from "./followSlots.ts";
import { confinementThere } from "./confinementThere.ts";
import type { CannotConfine, Confine } from "../confine/step.ts";
import { Mirror } from "./mirror.ts";
import { NoRoom, Room } from "./room.ts";
import { keeperQueue, type HostQueue, type QueuePlace } from "./queue.ts";
import { contentKey, fetchPolicy, needsThere, sendContent } from "./contents.ts";

export interface SshExecutorOptions {
  readonly shell: HostShell;
  readonly work: HostWork;
  /** The keeper's own by default. */
  readonly queue?: HostQueue;
  /** Holds the copy of one folder per job, on this machine. */
  readonly runsDirectory: string;
  readonly pollMilliseconds?: number;
  readonly log?: Log;
}

/** What logs and a little slack may hold beside the evidence. */
const slackBytes = 512 * 1024 ** 2;

/** More than this of other files is not taken from a run. */
const artefactLimitBytes = 256 * 1024 ** 3;

/** How long whoever waits leaves others time to ask along. */
const gatherMilliseconds = 10;

/** How often a host may fail to hand over the rest of a job that is over. */
const endingPulls = 20;

/** Runs jobs on a host over ssh. They outlive every connection; evidence, logs and policies come back here. */
export class SshExecutor implements Executor {
  readonly #shell: HostShell;
  readonly #work: HostWork;
  readonly #queue: HostQueue;
  readonly #runs: string;
  readonly #poll: number;
  readonly #log: Log;
  readonly #mirrors = new Map<string, Mirror>();
  readonly #limits = new Map<string, number>();
  readonly #means: FollowMeans;
  /** Questions of several jobs are asked in one call. */
  #asking: { ids: Set<string>; patience: number; report: Promise<StatusReport> } | undefined;
  #confinement: Promise<Confine | CannotConfine> | undefined;
  readonly elsewhere: Elsewhere;

  constructor(options: SshExecutorOptions) {
    this.#shell = options.shell;
    this.#work = options.work;
    this.#queue = options.queue ?? keeperQueue;
    this.#runs = resolve(options.runsDirectory);
    this.#poll = options.pollMilliseconds ?? 500;
    this.#log = options.log ?? silentLog;
    const { name, spec } = this.#shell.route;
    this.#means = {
      route: this.#shell.route,
      compress: spec.compress,
      slots: new FollowSlots(),
      bandwidth: new Bandwidth(spec.bandwidth),
      room: new Room({ host: name, runsDirectory: this.#runs, gigabytes: spec.artefacts.quota }),
    };
    this.elsewhere = this.#elsewhere();
  }

  directoryOf(id: string): string {
    const parsed = JobId.safeParse(id);
    if (!parsed.success)
      throw new HarnessError(
        "badInput",
        `"${id}" cannot be the id of a job: ${parsed.error.issues[0]?.message ?? ""}`,
      );
    return join(this.#runs, id);
  }

  async submit(request: JobRequest, together?: SubmitGroup): Promise<void> {
    this.directoryOf(request.id);
    const { gpus, environment } = this.#shell.route.spec;
    const spec = JobSpec.parse({
      ...request,
      gpus: request.gpus ?? gpus,
      environment: { ...environment, ...request.environment },
    });
    this.#limits.set(spec.id, spec.evidenceLimitBytes + slackBytes);
    const payload = renderJob(this.#queue.prepare(spec));
    const { programs, runs } = await this.#work.place();
    const directory = posix.join(runs, spec.id);
    const end = `END_${randomBytes(16).toString("hex")}`;
    const group =
      this.#queue.together !== undefined && together?.has(spec.id) === true ? together : undefined;
    const commit = `sh ${shellWord(programs.keeper)} submit ${shellWord(directory)} ${payload.length} ${posixChecksum(payload)} <<'${end}'
${payload.toString("utf8")}${end}
`;
    const alone = group === undefined ? this.#queue.submitted(programs, runs, spec, directory) : "";
    await this.#submitted(spec, directory, `${commit}${alone}`);
    await group?.ready(spec.id, async (members) => {
      const script = this.#queue.together?.(programs, runs, spec, { name: group.name, members });
      if (script !== undefined) await this.#submitted(spec, directory, script);
    });
  }

  /** Runs a script that says whether a job was submitted. */
  async #submitted(spec: JobSpec, directory: string, script: string): Promise<void> {
    const reply = await this.#ask(script);
    const { id } = spec;
    const said = [...reply.matchAll(/^(?:submitted|error) .*$/gm)].at(-1)?.[0] ?? `error ${reply.trim()}`;
    const answer = said.startsWith("error ")
      ? said
      : ((await this.#queue.asked?.handOver(spec, await this.#queuePlace(), said)) ?? said);
    if (!answer.startsWith("submitted "))
      throw submitError(id, `${directory} on ${this.#shell.route.name}`, answer);
    this.#log.info("jobs", answer, { job: id, host: this.#shell.route.name });
  }

  async status(id: string): Promise<JobStatus> {
    return this.#statusIn(await this.#report(id), id);
  }

  async cancel(id: string): Promise<void> {
    const report = await this.#report(id);
    if (isOver(this.#statusIn(report, id))) return;
    const facts = report.jobs.get(id);
    const { programs, runs } = await this.#work.place();
    if (
      facts !== undefined &&
      (await this.#queue.asked?.cancel(id, facts, await this.#queuePlace())) === true
    )
      return;
    await this.#ask(`${this.#queue.cancel(programs, posix.join(runs, id))}
${this.#queue.status(programs, runs, [id])} >/dev/null`);
    this.#log.info("jobs", "cancelling", { job: id, host: this.#shell.route.name });
  }

  confinement(): Promise<Confine | CannotConfine> {
    this.#confinement ??= confinementThere(this.#shell, this.#work, this.#queue).catch((e: unknown) => {
      this.#confinement = undefined;
      throw e;
    });
    return this.#confinement;
  }

  async wait(id: string, options: WaitOptions = {}): Promise<JobStatus> {
    const mirror = await this.#mirror(id);
    try {
      return await this.#watch(id, mirror, options);
    } finally {
      await mirror.stop();
    }
  }

  async #watch(id: string, mirror: Mirror, options: WaitOptions): Promise<JobStatus> {
    for (let incomplete = 0, had = 0; ;) {
      if (options.signal?.aborted === true)
        throw new HarnessError("cancelled", `Stopped waiting for the job ${id}, which keeps running.`);
      const before = await mirror.sizes();
      // Whoever waits outlasts any outage.
      const report = await unlessAborted(this.#report(id, Number.POSITIVE_INFINITY), options.signal);
      if (report !== undefined) {
        const status = this.#statusIn(report, id);
        const files = report.files.get(id) ?? new Map<string, JobFile>();
        const isWhole = await mirror
          .pull({ files, before, isOver: isOver(status) })
          .catch((e: unknown) => this.#notPulled(status, e));
        await options.onPoll?.(status);
        if (isOver(status)) {
          if (isWhole === true) return status;
          const has = [...(await mirror.sizes()).values()].reduce((sum, size) => sum + size, 0);
          if (has !== had) incomplete = 0;
          had = has;
          if (isWhole === false && ++incomplete > endingPulls)
            throw new HarnessError(
              "jobFailed",
              `The host ${this.#shell.route.name} sent less than it said that the job ${id} had written; look into the job's folder there.`,
            );
        }
      }
      // All that wait ask at the same moments, and so in one call.
      const rest = this.#poll - (performance.now() % this.#poll);
      await delay(rest, undefined, options.signal ? { signal: options.signal } : {}).catch((e: unknown) => {
        if (codeOf(e) !== "ABORT_ERR") throw e;
      });
    }
  }

  /** Undefined when the rest may come later. */
  async #notPulled(status: JobStatus, e: unknown): Promise<undefined> {
    if (HarnessError.is(e, "hostUnreachable")) return undefined;
    if (e instanceof NoRoom) {
      // The job runs on; what it writes meanwhile waits on its host.
      this.#log.warn("jobs", "no room", { job: status.id, error: e.message });
      if (!isOver(status)) return undefined;
      throw e;
    }
    if (HarnessError.is(e, "diskFull")) await this.cancel(status.id);
    throw e;
  }

  #statusIn(report: StatusReport, id: string): JobStatus {
    const facts = report.jobs.get(id);
    if (facts === undefined)
      throw new HarnessError("notFound", `There is no job ${id} on the host ${this.#shell.route.name}.`);
    return statusOf(id, facts, report.now);
  }

  async #mirror(id: string): Promise<Mirror> {
    const to = this.directoryOf(id);
    await mkdir(to, { recursive: true, mode: 0o700 });
    const mirror =
      this.#mirrors.get(id) ??
      new Mirror({
        ...this.#means,
        shell: this.#shell,
        from: posix.join((await this.#work.place()).runs, id),
        to,
        limitBytes: this.#limits.get(id) ?? 8 * 1024 ** 3 + slackBytes,
      });
    this.#mirrors.set(id, mirror);
    return mirror;
  }

  /** `patience` in milliseconds: how long an outage may last. Who asks together waits as long as the most patient. */
  #report(id: string, patience = 0): Promise<StatusReport> {
    this.directoryOf(id);
    if (this.#asking !== undefined) {
      this.#asking.ids.add(id);
      this.#asking.patience = Math.max(this.#asking.patience, patience);
      return this.#asking.report;
    }
    const ids = new Set([id]);
    const report = delay(patience > 0 ? gatherMilliseconds : 0).then(async () => {
      const most = this.#asking?.patience ?? 0;
      this.#asking = undefined;
      const parsed = await this.#askKeeper([...ids], most);
      const isNews = await this.#queue.asked?.look(parsed.jobs, parsed.now, await this.#queuePlace());
      return isNews === true ? this.#askKeeper([...ids], most) : parsed;
    });
    this.#asking = { ids, patience, report };
    return report;
  }

  async #askKeeper(ids: readonly string[], patience: number): Promise<StatusReport> {
    const { programs, runs } = await this.#work.place();
    const reply = await this.#shell.run(
      this.#queue.status(programs, runs, ids),
      patience > 0 ? { patience } : {},
    );
    const parsed = parseStatusReport(reply.toString("utf8"));
    if (parsed === undefined)
      throw new HarnessError(
        "jobFailed",
        `The keeper on ${this.#shell.route.name} does not answer: ${reply.toString("utf8").trim().slice(-300)}; run \`evotrainer doctor ${this.#shell.route.name}\`.`,
      );
    return parsed;
  }

  async #queuePlace(): Promise<QueuePlace> {
    return { ...(await this.#work.place()), run: (script) => this.#ask(script) };
  }

  async #ask(script: string): Promise<string> {
    return (await this.#shell.run(script)).toString("utf8");
  }

  #elsewhere(): Elsewhere {
    const work = this.#work;
    const { name, spec } = this.#shell.route;
    const policies = { shell: this.#shell, bandwidth: this.#means.bandwidth, room: this.#means.room };
    return {
      host: name,
      reach: async () => {
        await this.#shell.run(":", { patience: 0 });
      },
      paths: async (run, needs) => {
        const place = await work.place();
        return {
          projectDirectory: work.projectFolder(place, run),
          run: posix.join(place.runs, run),
          policyOut: posix.join(place.runs, run, "policy"),
          ...(await needsThere(place, needs)),
        };
      },
      send: async (run, commit, needs, onProgress) => {
        await work.assertQuota(run);
        await retried(() => work.checkout(run, commit, needs.withheld));
        const { policyIn, data } = needs;
        for (const path of [...(policyIn === undefined ? [] : [policyIn]), ...data.map(({ at }) => at)]) {
          const key = await contentKey(path);
          await retried(async () =>
            sendContent({ ...policies, ...progressOf(onProgress) }, await work.place(), path, key),
          );
        }
        const there = await needsThere(await work.place(), needs);
        await retried(() => work.link(run, there.data));
      },
      changedPath: (run, commit, paths, withheld) => work.changedPath(run, commit, paths, withheld),
      touchedPath: (run, paths) => work.touchedPath(run, paths),
      policies: spec.artefacts.policies,
      hasPolicy: (run) => work.hasPolicy(run),
      fetchPolicy: (run, to, onProgress) =>
        retried(async () =>
          fetchPolicy({ ...policies, ...progressOf(onProgress) }, await work.place(), run, to),
        ),
      fetchFiles: async (run, to, onProgress) => {
        if (spec.artefacts.files.length === 0) return;
        await retried(async () =>
          fetchFiles({
            ...policies,
            from: posix.join((await work.place()).runs, run),
            patterns: spec.artefacts.files,
            to,
            limitBytes: artefactLimitBytes,
            ...progressOf(onProgress),
          }),
        );
      },
      release: (run) => work.release(run),
    };
  }
}

const progressOf = (onProgress: OnTransfer | undefined) => (onProgress === undefined ? {} : { onProgress });

/** The value of a promise, or undefined as soon as a signal is aborted; what the promise comes to then is not wanted. */
async function unlessAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  if (signal === undefined) return promise;
  let stop = (): void => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const retryMilliseconds = [200, 1000, 3000, 10_000, 30_000];

/** A transfer that was cut starts again. */
async function retried<T>(transfer: () => Promise<T>): Promise<T> {
  for (const wait of retryMilliseconds) {
    try {
      return await transfer();
    } catch (e) {
      if (!HarnessError.is(e, "hostUnreachable")) throw e;
      await delay(wait);
    }
  }
  return transfer();
}
