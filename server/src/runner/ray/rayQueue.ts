import { posix } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { silentLog, type Log } from "../../base/log.ts";
import type { JobFacts } from "../job/jobDirectory.ts";
import type { JobSpec } from "../job/jobSpec.ts";
import { spreading } from "../confine/step.ts";
import { shellWord } from "../../base/shellWord.ts";
import { keeperQueue, type AskedQueue, type HostQueue, type QueuePlace } from "../ssh/queue.ts";
import { RayClient, type RayJob, type RaySubmission } from "./rayClient.ts";
import type { RayRoute } from "./rayRoute.ts";
import { failureOf, gaveUp, isOverForRay, couldStart, wordsOf } from "../job/rayStates.ts";
import { submissionId, submissionOf } from "./raySubmission.ts";

export interface RayQueueOptions {
  readonly client?: RayClient;
  /** How long the last words of a keeper may be on their way through a shared file system; 15 s by default. */
  readonly settleSeconds?: number;
  readonly log?: Log;
}

/** Milliseconds until Ray is asked again about a job that waits, and about one that runs, whose keeper says more. */
const pace = { waits: 1000, runs: 5000 };
const retryMilliseconds = [200, 1000, 3000, 10_000];
const keptLogCharacters = 64 * 1024;

/** Gives the jobs of a host to Ray, whose dashboard is asked from here; what it says is written into the job directories. */
export function rayQueue(route: RayRoute, options: RayQueueOptions = {}): HostQueue {
  return {
    ...keeperQueue,
    // Ray gives out its GPUs itself; the keeper would count those of a node that the job is not on.
    prepare: (spec) => ({ ...spec, gpus: 0, batch: true }),
    submitted: (_programs, _runs, _spec, directory) =>
      `cd ${shellWord(directory)} && { [ -e ray.job ] || [ -e pid ] || [ -e exit ]; } && echo 'submitted before'`,
    asked: new RayAsked(route, options),
    spreads: spreading.ray,
  };
}

class RayAsked implements AskedQueue {
  readonly #route: RayRoute;
  readonly #client: RayClient;
  readonly #settle: number;
  readonly #log: Log;
  /** What this process has submitted, by job; for those that Ray gives up waiting with. */
  readonly #submissions = new Map<string, RaySubmission>();
  readonly #nextLook = new Map<string, { readonly phase: string; readonly at: number }>();
  /** Jobs that Ray could not be asked about when it was last tried. */
  readonly #away = new Set<string>();
  readonly #overSince = new Map<string, number>();

  constructor(route: RayRoute, options: RayQueueOptions) {
    this.#route = route;
    this.#client = options.client ?? new RayClient({ route });
    this.#settle = (options.settleSeconds ?? 15) * 1000;
    this.#log = options.log ?? silentLog;
  }

  async handOver(spec: JobSpec, place: QueuePlace, answer: string): Promise<string> {
    const directory = posix.join(place.runs, spec.id);
    const submission = submissionOf(this.#route.ray, spec, place.programs.keeper, directory);
    this.#submissions.set(spec.id, submission);
    if (!/^submitted (?:new|known)$/.test(answer)) return answer;
    const refused = await this.#submit(submission, answer === "submitted new");
    if (refused !== undefined) return `error ray ${refused}`;
    await place.run(keepLine(directory, "ray.job", submission.submission_id));
    return answer;
  }

  /** Undefined once Ray has the job, else why it does not take it. */
  async #submit(submission: RaySubmission, isNew: boolean): Promise<string | undefined> {
    const { submission_id: id } = submission;
    const answer = await retried(() => this.#client.submit(submission));
    if (answer === "new") return undefined;
    if (answer !== "exists") return answer.refused;
    const known = await retried(() => this.#client.job(id));
    if (known?.entrypoint !== submission.entrypoint && known !== undefined)
      return `another job there has the id ${id}`;
    // What is left of a folder that was removed and is used again. The keeper would not run a job twice in any case.
    if (known !== undefined && !(isNew && isOverForRay(known.status))) return undefined;
    await this.#client.forget(id);
    const again = await retried(() => this.#client.submit(submission));
    return typeof again === "string" ? undefined : again.refused;
  }

  async look(jobs: ReadonlyMap<string, JobFacts>, now: Date, place: QueuePlace): Promise<boolean> {
    const scripts = await Promise.all(
      [...jobs].map(async ([id, facts]) => {
        const at = Date.now();
        if (!facts.isBatch || facts.batchEnd !== undefined) return "";
        // One that has just ended is asked about at once.
        const phase = facts.end ? "ended" : facts.leader ? "runs" : "waits";
        const next = this.#nextLook.get(id);
        if (next?.phase === phase && at < next.at) return "";
        this.#nextLook.set(id, { phase, at: at + (phase === "runs" ? pace.runs : pace.waits) });
        return this.#lookAt(id, facts, now, place);
      }),
    );
    const script = scripts.join("");
    if (script !== "") await place.run(script);
    return script !== "";
  }

  async #lookAt(id: string, facts: JobFacts, now: Date, place: QueuePlace): Promise<string> {
    const directory = posix.join(place.runs, id);
    let job: RayJob | undefined;
    try {
      job = await this.#client.job(submissionId(directory));
      this.#away.delete(id);
    } catch (e) {
      if (!HarnessError.is(e)) throw e;
      if (!this.#away.has(id))
        this.#log.warn("hosts", "Ray does not answer", {
          job: id,
          host: this.#route.name,
          error: messageOf(e),
        });
      this.#away.add(id);
      return this.#unasked(facts, now, directory, messageOf(e));
    }
    const message = job?.message ?? "";
    const state = job?.status ?? "GONE";
    const failure = state === "FAILED" ? failureOf(job?.error_type, message) : "-";
    if (state === "GONE" || isOverForRay(state)) {
      if (gaveUp(failure) && facts.keepers === 0 && facts.end === undefined)
        return this.#again(id, facts, directory, state);
      return this.#over(id, { facts, place, directory, state, failure, message });
    }
    this.#overSince.delete(id);
    return changed(facts, directory, `${state} ${state === "PENDING" ? wordsOf(message) : ""}`);
  }

  /** The dashboard is away: clusters are, soon after their jobs. An end that the keeper recorded then has to do. */
  #unasked(facts: JobFacts, now: Date, directory: string, why: string): string {
    if (facts.end !== undefined && facts.endedAt !== undefined)
      return now.getTime() - facts.endedAt.getTime() > 4 * this.#settle
        ? keepLine(directory, "ray.end", "UNKNOWN -")
        : "";
    return facts.leader === undefined ? changed(facts, directory, `UNKNOWN ${why}`) : "";
  }

  /** Ray waits a quarter of an hour for resources and then forgets the job, unless its head is told otherwise. */
  async #again(id: string, facts: JobFacts, directory: string, state: string): Promise<string> {
    const submission = this.#submissions.get(id);
    if (submission === undefined)
      return changed(facts, directory, `PENDING Ray gave up waiting; the next engine asks again.`);
    try {
      await this.#client.forget(submission.submission_id);
      await this.#client.submit(submission);
      this.#log.info("jobs", "submitted again", { job: id, host: this.#route.name, state });
    } catch (e) {
      if (!HarnessError.is(e)) throw e;
    }
    return "";
  }

  async #over(id: string, end: Ended): Promise<string> {
    const { facts, place, directory, state, failure, message } = end;
    const words = wordsOf(message);
    const line = `${state} ${failure} ${words}`.trim();
    if (facts.end !== undefined) return keepLine(directory, "ray.end", line);
    // A keeper's last words may still be on their way, unless there never was one.
    const since = this.#overSince.get(id) ?? Date.now();
    this.#overSince.set(id, since);
    const isSettled = Date.now() - since >= this.#settle;
    if (
      !isSettled &&
      (facts.keepers > 0 || couldStart(failure) || failure === "JOB_ENTRYPOINT_COMMAND_ERROR")
    )
      return "";
    const said = await this.#client.log(submissionId(directory)).catch(() => undefined);
    const cause = state === "STOPPED" || facts.stopped === "cancelled" ? "cancelled" : "killed";
    return `(cd ${shellWord(directory)} || exit 1
${said === undefined || said === "" ? "" : `printf '%s\\n' ${shellWord(said.slice(-keptLogCharacters).replaceAll("\0", ""))} >ray.log.new && mv -f ray.log.new ray.log\n`}sh ${shellWord(place.programs.keeper)} conclude ${shellWord(directory)} ${cause} ray
if [ -e exit ]; then
${keepLine(directory, "ray.end", line)}fi)
`;
  }

  async cancel(id: string, facts: JobFacts, place: QueuePlace): Promise<boolean> {
    const directory = posix.join(place.runs, id);
    const name = submissionId(directory);
    const job = await this.#client.job(name).catch((e: unknown) => {
      // Then its keeper is told by a file, as everywhere.
      if (HarnessError.is(e, "hostUnreachable")) return "away" as const;
      throw e;
    });
    if (job === "away") return false;
    this.#nextLook.delete(id);
    // Ray tells every process of a job that runs once, at once, also where a shared file system would be late.
    if (job?.status === "RUNNING" && facts.leader !== undefined) return this.#client.stop(name);
    if (facts.leader !== undefined) return false;
    // Ray cannot stop a job that waits: it is over here, and its keeper leaves when it is begun.
    const over = await place.run(`sh ${shellWord(place.programs.keeper)} cancel ${shellWord(directory)}
sh ${shellWord(place.programs.keeper)} conclude ${shellWord(directory)} cancelled ray
if [ -e ${shellWord(posix.join(directory, "exit"))} ]; then
${keepLine(directory, "ray.end", "STOPPED -")}echo; echo over
fi`);
    if (/^over$/m.test(over)) await this.#client.stop(name).catch(() => false);
    return true;
  }

  close(): void {
    this.#client.close();
  }
}

interface Ended {
  readonly facts: JobFacts;
  readonly place: QueuePlace;
  readonly directory: string;
  readonly state: string;
  readonly failure: string;
  readonly message: string;
}

/** Shell: one line of a file, whole or not at all. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .slice(0, 400)
    .trim();

function keepLine(directory: string, name: string, line: string): string {
  const path = shellWord(posix.join(directory, name));
  return `{ printf '%s\\n' ${shellWord(oneLine(line))} >${path}.new && mv -f ${path}.new ${path}; }\n`;
}

const changed = (facts: JobFacts, directory: string, line: string): string =>
  facts.inRay === oneLine(line) ? "" : keepLine(directory, "ray.queue", line);

async function retried<T>(call: () => Promise<T>): Promise<T> {
  for (const wait of retryMilliseconds)
    try {
      return await call();
    } catch (e) {
      if (!HarnessError.is(e, "hostUnreachable")) throw e;
      await delay(wait);
    }
  return call();
}
