import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { hours as hoursText } from "../../../../shared/words/numbers.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { Elsewhere } from "../job/executor.ts";
import { ownerOf } from "../job/runPlace.ts";
import { readOutcome, type JobOutcome } from "../job/outcome.ts";
import { runJob, type RunRequest } from "../runVersion.ts";
import type { SubmitGroup } from "../job/submitGroup.ts";
import { groupsOf, type Grouped } from "./groups.ts";
import { Member, type Books, type FleetHost } from "./member.ts";
import { choosePlace } from "./schedule.ts";
import type { RunRecord } from "./spending.ts";

export interface FleetOptions {
  /** In the order in which equal ones are taken. */
  readonly hosts: readonly FleetHost[];
  /** The machine that has a run already, when it is none of `hosts`. @throws HarnessError when it is not known any more */
  readonly ownerHost: (host: string | null) => Promise<FleetHost>;
  /** What is known of the runs of the project, and when the evolution began; read for each choice. */
  readonly books: () => Promise<Omit<Books, "now">>;
  readonly runsDirectory: string;
  readonly note?: (message: string) => void;
  readonly retryMilliseconds?: readonly number[];
}

/** A job whose place the fleet chooses. */
export interface FleetJob
  extends Grouped, Omit<RunRequest, "executor" | "gpus" | "together" | "run" | "policyIn"> {
  readonly policyIn?: () => Promise<string | undefined>;
  /** Called when a machine has the job, or is about to get it. */
  readonly onPlaced?: (host: string) => void;
}

/** A job that waits for its place. */
interface Pending {
  readonly job: FleetJob;
  readonly order: number;
  /** Machines that did not take it. */
  readonly refusedBy: ReadonlySet<Member>;
  readonly take: (place: Taken) => void;
  readonly fail: (e: unknown) => void;
}

interface Taken {
  readonly member: Member;
  readonly together: SubmitGroup | undefined;
}

/** A choice that waits for the time, or for what other processes do, is looked at again. */
const lookAgainMs = 60_000;

/**
 * Several machines as one: each job runs on one of them, chosen when it can begin. The choice is written down before
 * anything is submitted, and holds until the job is over, or known to have never arrived there.
 */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #members: readonly Member[];
  /** Machines that only have jobs from before. */
  readonly #others = new Map<string | null, Promise<Member>>();
  readonly #pending = new Map<string, Pending>();
  /** What jobs may take that have a place and no record of it yet. */
  readonly #reserved = new Map<string, RunRecord>();
  /** Jobs whose place may be known: nothing is chosen before they are counted. */
  readonly #lookingUp = new Set<Promise<unknown>>();
  #next = 0;
  #isPlacing = false;
  #isWanted = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#members = options.hosts.map((spec) => new Member(spec, options.retryMilliseconds));
  }

  /** Runs jobs, each on the machine that has it, or on one that the fleet chooses. Rejections are those of runJob. */
  runAll(jobs: readonly FleetJob[]): Promise<JobOutcome>[] {
    const first = this.#next;
    this.#next += jobs.length;
    const known = this.#lookUp(jobs);
    this.#lookingUp.add(known);
    const done = (): void => void this.#lookingUp.delete(known);
    known.then(done, done);
    return jobs.map(async (job, i) => {
      const { members, groups } = await known;
      const own = members[i];
      if (own === undefined) return this.#choose(job, first + i);
      return own.isOver
        ? this.#run(job, own.member, undefined)
        : this.#stay(job, own.member, groups(job, own.member));
    });
  }

  /** Machines that have jobs already; those are counted there. */
  async #lookUp(jobs: readonly FleetJob[]) {
    const members = await Promise.all(
      jobs.map(async ({ run }) => {
        const directory = this.#directoryOf(run);
        const isOver = (await readOutcome(directory)) !== undefined;
        const owner = await ownerOf(directory);
        if (isOver) return { isOver, member: this.#any() };
        return owner === undefined ? undefined : { isOver, member: await this.#memberOf(owner) };
      }),
    );
    for (const own of members) if (own?.isOver === false) own.member.busy++;
    const begun = jobs.flatMap((job, i) => {
      const own = members[i];
      return own?.isOver === false ? [{ job, member: own.member }] : [];
    });
    return { members, groups: groupsOf(begun) };
  }

  /** Nothing is chosen any more; jobs run on. */
  close(): void {
    clearTimeout(this.#timer);
    for (const { fail } of [...this.#pending.values()])
      fail(new HarnessError("cancelled", "Stopped; run `evotrainer evolve` to continue from here."));
  }

  /** What a run left on the machine that has it; undefined when that is this one, or none. */
  async elsewhereOf(run: string): Promise<Elsewhere | undefined> {
    const owner = await ownerOf(this.#directoryOf(run));
    return owner == null ? undefined : (await this.#memberOf(owner)).spec.executor.elsewhere;
  }

  #directoryOf(run: string): string {
    return join(this.#options.runsDirectory, run);
  }

  #any(): Member {
    const [first] = this.#members;
    if (first === undefined) throw new HarnessError("badInput", "No machine is left to run jobs on.");
    return first;
  }

  async #memberOf(owner: string | null): Promise<Member> {
    const own = this.#members.find(({ spec }) => spec.host === owner);
    if (own !== undefined) return own;
    const other = this.#others.get(owner) ?? this.#options.ownerHost(owner).then((spec) => new Member(spec));
    this.#others.set(owner, other);
    return other;
  }

  /** Waits for a place, and for another one when it turns out that this one does not take the job. */
  async #choose(job: FleetJob, order: number): Promise<JobOutcome> {
    const refusedBy = new Set<Member>();
    for (;;) {
      const { member, together } = await this.#place(job, order, refusedBy);
      let answers = false;
      try {
        answers = await this.#answers(member);
      } finally {
        if (!answers) this.#leave(job, member, together);
      }
      if (!answers) continue;
      try {
        return await this.#run(job, member, together);
      } catch (e) {
        const isThere = (await ownerOf(this.#directoryOf(job.run))) !== undefined;
        if (isThere && HarnessError.is(e, "hostUnreachable")) {
          this.#passOver(member, e);
          member.busy++;
          return await this.#stay(job, member, undefined);
        }
        if (isThere || !isOfTheMachine(e, member)) throw e;
        this.#passOver(member, e);
        // An outage passes; what a machine refuses once it refuses again.
        if (!HarnessError.is(e, "hostUnreachable")) refusedBy.add(member);
        if (refusedBy.size === this.#members.length) throw e;
      } finally {
        this.#leave(job, member, together);
      }
    }
  }

  /** Goes on with a job where it is, however long that cannot be reached. */
  async #stay(job: FleetJob, member: Member, together: SubmitGroup | undefined): Promise<JobOutcome> {
    try {
      for (let group = together; ; group = undefined)
        try {
          return await this.#run(job, member, group);
        } catch (e) {
          // Of the only machine there is, whoever starts this is told at once that it is not there.
          const isNoneLeft = this.#members.length === 1 && !member.wasHeard;
          if (!HarnessError.is(e, "hostUnreachable") || isNoneLeft) throw e;
          this.#passOver(member, e);
          await pause(member.awayUntil - Date.now(), [job.detach, job.signal]);
        }
    } finally {
      this.#leave(job, member, together);
    }
  }

  #leave(job: FleetJob, member: Member, together: SubmitGroup | undefined): void {
    together?.leave(job.run);
    this.#reserved.delete(job.run);
    member.free(job.run);
    this.#placeSoon();
  }

  async #run(job: FleetJob, member: Member, together: SubmitGroup | undefined): Promise<JobOutcome> {
    const { policyIn, ...request } = job;
    const policy = await policyIn?.();
    job.onPlaced?.(member.spec.name);
    return runJob({
      ...request,
      ...(policy === undefined ? {} : { policyIn: policy }),
      ...(together === undefined ? {} : { together }),
      gpus: member.spec.gpus,
      executor: member.spec.executor,
      onProgress: (progress) => {
        member.heard();
        if (progress.state === "queued") member.waiting.add(job.run);
        else if (member.waiting.delete(job.run)) this.#placeSoon();
        job.onProgress?.(progress);
      },
      // What comes after it is work of the engine. A host still has its files then.
      onOver: () => {
        if (member.spec.executor.elsewhere !== undefined) return;
        member.isOver(job.run);
        this.#placeSoon();
      },
    });
  }

  /** Whether a machine answers. At the beginning somebody looks on who can mend it; later an outage is waited for. */
  async #answers(member: Member): Promise<boolean> {
    try {
      await member.spec.executor.elsewhere?.reach();
      member.heard();
      return true;
    } catch (e) {
      if (!HarnessError.is(e, "hostUnreachable") && !HarnessError.is(e, "hostRefused")) throw e;
      this.#passOver(member, e);
      if (this.#members.every(({ failures, wasHeard }) => failures > 0 && !wasHeard)) throw e;
      return false;
    }
  }

  #passOver(member: Member, e: unknown): void {
    member.notHeard(Date.now());
    if (member.failures === 1 && this.#members.length > 1)
      this.#options.note?.(`${messageOf(e)} Meanwhile, waiting jobs go to other machines.`);
  }

  #place(job: FleetJob, order: number, refusedBy: ReadonlySet<Member>): Promise<Taken> {
    return new Promise((resolve, reject) => {
      const signals = [job.detach, job.signal].filter((s) => s !== undefined);
      const over = (): void => {
        this.#pending.delete(job.run);
        for (const signal of signals) signal.removeEventListener("abort", stop);
      };
      const fail = (e: unknown): void => {
        over();
        reject(e instanceof Error ? e : new Error(String(e)));
      };
      const stop = (): void =>
        fail(new HarnessError("cancelled", `The run ${job.run} was stopped before it was submitted.`));
      const take = (taken: Taken): void => {
        over();
        resolve(taken);
      };
      this.#pending.set(job.run, { job, order, refusedBy, take, fail });
      for (const signal of signals) signal.addEventListener("abort", stop);
      if (signals.some(({ aborted }) => aborted)) stop();
      else this.#placeSoon();
    });
  }

  #placeSoon(): void {
    this.#isWanted = true;
    if (this.#isPlacing) return;
    this.#isPlacing = true;
    void this.#placeWhileWanted();
  }

  async #placeWhileWanted(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      // Jobs that are asked for in one breath are placed together.
      await nextTurn();
      while (this.#lookingUp.size > 0) await Promise.allSettled(this.#lookingUp);
      await nextTurn();
      try {
        if (this.#pending.size > 0) await this.#placeAll();
      } catch (e) {
        for (const { fail } of [...this.#pending.values()]) fail(e);
      }
    }
    this.#isPlacing = false;
  }

  async #placeAll(): Promise<void> {
    clearTimeout(this.#timer);
    const books = await this.#options.books();
    const known = new Set(books.runs.map(({ run }) => run));
    const now = Date.now();
    const taken: { pending: Pending; member: Member }[] = [];
    let again = now + lookAgainMs;
    for (const pending of [...this.#pending.values()].sort((a, b) => a.order - b.order)) {
      const { job, refusedBy } = pending;
      const reserved = [...this.#reserved.values()].filter(({ run }) => !known.has(run));
      const all: Books = { runs: [...books.runs, ...reserved], since: books.since, now };
      const hours = (job.budgetSeconds ?? job.project.trainer.budgetSeconds) / 3600;
      const open = this.#members.filter((member) => !refusedBy.has(member));
      const choice = choosePlace(
        open.map((member) => member.placeFor(hours, all)),
        now,
      );
      if (choice.type === "never") pending.fail(overBudget(job.run, hours, open, all));
      else if (choice.type === "wait") again = Math.min(again, choice.until ?? again);
      else {
        const member = open.find(({ spec }) => spec.name === choice.name) ?? this.#any();
        member.busy++;
        const { host, gpus } = member.spec;
        this.#reserved.set(job.run, { run: job.run, host, at: now, ended: null, hours, gpus });
        taken.push({ pending, member });
      }
    }
    const groups = groupsOf(taken.map(({ pending, member }) => ({ job: pending.job, member })));
    for (const { pending, member } of taken) pending.take({ member, together: groups(pending.job, member) });
    if (this.#pending.size > 0)
      this.#timer = setTimeout(() => this.#placeSoon(), Math.max(20, again - Date.now()));
  }
}

/** Faults that another machine may not have. */
function isOfTheMachine(e: unknown, { spec }: Member): boolean {
  if (spec.executor.elsewhere === undefined) return false;
  const reasons = ["hostUnreachable", "hostRefused", "diskFull", "jobFailed"] as const;
  return reasons.some((reason) => HarnessError.is(e, reason));
}

function overBudget(run: string, hours: number, members: readonly Member[], books: Books): HarnessError {
  return new HarnessError(
    "jobFailed",
    `The run ${run} may take ${hoursText(hours)} and does not fit into any budget: ${members.map((member) => member.spentText(books)).join("; ")}. Raise the budget of a host in evotrainer.yaml and go on.`,
  );
}

/** Throws as soon as one of the signals is aborted. */
async function pause(milliseconds: number, signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  const signal = AbortSignal.any(signals.filter((s) => s !== undefined));
  await delay(Math.max(20, milliseconds), undefined, { signal }).catch(() => {
    throw new HarnessError("cancelled", "Stopped waiting for a machine; jobs that run there go on.");
  });
}
