import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  existsSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { HostSpec } from "../../../shared/spec/host.ts";
import { messageOf } from "../../../server/src/base/errors.ts";
import { seededRandom } from "../../../server/src/base/random.ts";
import { startTestSlurm, type TestSlurm } from "../slurm/slurm.ts";
import { until } from "../runner/jobs.ts";
import { testProjectFiles } from "../runner/project.ts";
import { faults, slurmFaults, type Fault, type Scene } from "./faults.ts";
import { SoakEngine, strayClients } from "./engines.ts";
import { startSoakHost, type SoakHost } from "./host.ts";
import { drawJob, soakScript, truthOf, wrongEvidence, wrongIn, wrongPolicies, type SoakJob } from "./jobs.ts";

export interface SoakOptions {
  readonly faults: number;
  readonly seed: number;
  /** The jobs go to a private Slurm on the host, and Slurm's faults happen to them as well. */
  readonly slurm?: boolean;
  /** Gets a line for every round, and a line for every error as soon as it is found. */
  readonly say?: (line: string) => void;
}

export interface SoakReport {
  /** How often each fault happened. */
  readonly faults: ReadonlyMap<string, number>;
  /** Faults that are impossible here, with the reason. */
  readonly missing: readonly string[];
  /** How many of the faults happened while a job was running. */
  readonly struck: number;
  readonly jobs: number;
  /** How many of the jobs train a version: a commit and a policy are sent, a policy is fetched. */
  readonly versions: number;
  /** How many jobs ended in each way. */
  readonly ends: ReadonlyMap<string, number>;
  readonly bytes: number;
  /** For each fault, the seconds until an engine heard of a job again. */
  readonly recoveries: readonly number[];
  readonly seconds: number;
  /** Complaints of the engine that it recovered from. */
  readonly said: ReadonlyMap<string, number>;
  /** Errors that the test found. */
  readonly wrong: readonly string[];
}

const roundSeconds = 120;

/** Runs jobs on a private host and disturbs them; the same seed draws the same jobs and faults. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "evo soak ")));
  const slurm = options.slurm === true ? await startTestSlurm() : undefined;
  const host = await startSoakHost(
    root,
    slurm === undefined ? {} : { SLURM_CONF: slurm.configuration, EVO_SLURM_SETTLE: "1" },
  );
  const repository = join(root, "project");
  mkdirSync(repository);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], {
      cwd: repository,
      encoding: "utf8",
    });
  git("init", "--quiet");
  for (const [path, text] of Object.entries({ ...testProjectFiles(), "train.sh": soakScript })) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  }
  const policyIn = join(root, "policy");
  mkdirSync(policyIn);
  writeFileSync(join(policyIn, "weights"), randomBytes(200_000));
  const commit = (): string => {
    writeFileSync(join(repository, "weights"), randomBytes(50_000));
    git("add", "--all");
    git("commit", "--quiet", "--message", "c");
    return git("rev-parse", "HEAD").trim();
  };
  commit();
  const [engine, other] = ["one", "two"].map((name) => {
    const spec = HostSpec.parse({
      ssh: "testhost",
      directory: host.scratch,
      ...(slurm === undefined ? {} : { slurm: {} }),
    });
    return new SoakEngine({ repository, runs: join(root, name), program: host.ssh.program, spec });
  });
  if (engine === undefined || other === undefined) throw new Error("There are two engines.");
  const soaking = new Soak(options, { root, host, engine, other, slurm, policyIn, commit });
  try {
    await Promise.all([engine.start(), other.start()]);
    return await soaking.run();
  } finally {
    engine.kill();
    other.kill();
    await slurm?.stop();
    await host.stop().catch((e: unknown) => soaking.complain("the end", [messageOf(e)]));
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Stage {
  readonly root: string;
  readonly host: SoakHost;
  readonly engine: SoakEngine;
  readonly other: SoakEngine;
  readonly slurm: TestSlurm | undefined;
  /** The policy that versions start from, and a new commit for each version. */
  readonly policyIn: string;
  readonly commit: () => string;
}

class Soak {
  readonly #options: SoakOptions;
  readonly #root: string;
  readonly #truth: string;
  readonly #host: SoakHost;
  readonly #engine: SoakEngine;
  readonly #other: SoakEngine;
  readonly #slurm: TestSlurm | undefined;
  readonly #faults: readonly Fault[];
  readonly #policyIn: string;
  readonly #commit: () => string;
  readonly #random: () => number;
  readonly #deck: readonly Fault[];
  readonly #drawn = new Map<string, number>();
  readonly #ends = new Map<string, number>();
  readonly #recoveries: number[] = [];
  readonly #wrong: string[] = [];
  #waiting: Fault[] = [];
  #jobs = 0;
  #versions = 0;
  #struck = 0;
  #bytes = 0;

  constructor(options: SoakOptions, stage: Stage) {
    this.#options = options;
    this.#root = stage.root;
    this.#host = stage.host;
    this.#engine = stage.engine;
    this.#other = stage.other;
    this.#slurm = stage.slurm;
    this.#policyIn = stage.policyIn;
    this.#commit = stage.commit;
    this.#faults = stage.slurm === undefined ? faults : slurmFaults(stage.slurm);
    this.#random = seededRandom(options.seed);
    this.#deck = this.#faults.filter((fault) => fault.missing?.(stage.host) === undefined);
    this.#truth = join(stage.root, "truth");
    mkdirSync(this.#truth);
  }

  async run(): Promise<SoakReport> {
    const began = performance.now();
    for (let had = 0, round = 1; had < this.#options.faults; round++) {
      const count = Math.min(this.#options.faults - had, this.#random() < 0.25 ? 2 : 1);
      await this.#round(
        round,
        Array.from({ length: count }, () => this.#draw()),
      );
      had += count;
    }
    await this.#quiet("the end", []);
    return {
      faults: this.#drawn,
      missing: this.#faults.flatMap((fault) => {
        const why = fault.missing?.(this.#host);
        return why === undefined ? [] : [`${fault.name}: ${why}`];
      }),
      struck: this.#struck,
      jobs: this.#jobs,
      versions: this.#versions,
      ends: this.#ends,
      bytes: this.#bytes,
      recoveries: this.#recoveries,
      seconds: (performance.now() - began) / 1000,
      said: this.#engine.said,
      wrong: this.#wrong,
    };
  }

  /** Every fault once, each time in a different order. */
  #draw(): Fault {
    if (this.#waiting.length === 0) this.#waiting = [...this.#deck];
    const [fault] = this.#waiting.splice(Math.floor(this.#random() * this.#waiting.length), 1);
    if (fault === undefined) throw new Error("There is no fault to draw.");
    this.#drawn.set(fault.name, (this.#drawn.get(fault.name) ?? 0) + 1);
    return fault;
  }

  async #round(round: number, drawn: readonly Fault[]): Promise<void> {
    const random = this.#random;
    const name = `round ${round} (${drawn.map((fault) => fault.name).join(", ")})`;
    const jobs = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, i) =>
      drawJob(`r${round}-${i + 1}`, random, {
        cwd: this.#root,
        truth: this.#truth,
        hasGpus: this.#slurm === undefined,
      }),
    );
    const scene: Scene = { host: this.#host, engine: this.#engine, other: this.#other, jobs, random };
    const moments = drawn.map((fault) => ({ fault, wait: fault.atOnce === true ? 0 : random() * 2000 }));
    const cancels = jobs.map((job) => ({ job, wait: job.isCancelled ? 200 + random() * 3000 : 0 }));
    for (const job of jobs)
      this.#engine.run(job, job.isVersion ? { commit: this.#commit(), policyIn: this.#policyIn } : undefined);
    const began = performance.now();
    const cancelling = cancels
      .filter(({ job }) => job.isCancelled)
      .map(async ({ job, wait }) => {
        await delay(wait);
        job.deeds.add("cancel");
        // Repeated until the engine has received it: the engine may be killed in between.
        for (let tries = 0; tries < roundSeconds && !this.#isOver(job); tries++) {
          this.#engine.tell({ kind: "cancel", id: job.spec.id });
          await delay(1000);
        }
      });
    let struck = 0;
    for (const { fault, wait } of moments.sort((a, b) => a.wait - b.wait)) {
      await delay(Math.max(0, wait - (performance.now() - began)));
      if (!jobs.every((job) => this.#isOver(job))) this.#struck++;
      await fault.apply(scene);
      struck = performance.now();
    }
    if (!jobs.every((job) => this.#isOver(job))) {
      const heard = await until("an engine hears of a job", () => this.#engine.heardAt > struck, 30).catch(
        () => false,
      );
      if (heard) this.#recoveries.push((this.#engine.heardAt - struck) / 1000);
    }
    await until("all jobs are over", () => jobs.every((job) => this.#isOver(job)), roundSeconds).catch(() =>
      this.complain(
        name,
        jobs
          .filter((job) => !this.#isOver(job))
          .map((job) => `${job.spec.id} does not end: ${this.#told(job)}`),
      ),
    );
    await Promise.all(cancelling);
    await this.#quiet(name, jobs);
    const wrong = (await Promise.all(jobs.map((job) => this.#wrongOf(job)))).flat();
    for (const each of [this.#engine, this.#other]) wrong.push(...each.wrong.splice(0));
    const clashes = join(this.#truth, "clashes");
    if (existsSync(clashes)) wrong.push(`two jobs had one GPU: ${readFileSync(clashes, "utf8")}`);
    this.complain(name, wrong);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    this.#options.say?.(`${name}: ${jobs.map((job) => this.#told(job)).join(", ")}; ${seconds} s`);
    if (wrong.length === 0) for (const job of jobs) this.#clear(job);
    this.#host.setClock(0);
    this.#jobs += jobs.length;
    this.#versions += jobs.filter(({ isVersion }) => isVersion).length;
  }

  #followers(job: SoakJob): SoakEngine[] {
    return [this.#engine, this.#other].filter((engine) => engine.hasTo(job.spec.id));
  }

  #isOver(job: SoakJob): boolean {
    return this.#followers(job).every((engine) => engine.endings.has(job.spec.id));
  }

  #told(job: SoakJob): string {
    const ending = this.#engine.endings.get(job.spec.id);
    if (ending === undefined) return "nothing";
    const how = ending.reason ?? ending.signal ?? `code ${String(ending.exitCode)}`;
    const flags = [ending.cancelled ? "cancelled" : "", ending.timedOut ? "budget" : ""].filter(Boolean);
    return [ending.state, ...flags, how].join(" ");
  }

  async #wrongOf(job: SoakJob): Promise<string[]> {
    const { id } = job.spec;
    const first = this.#engine.endings.get(id);
    if (first === undefined) return [];
    const key = this.#told(job).replace(/code \d+$/, (code) => (code === "code 0" ? code : "another code"));
    this.#ends.set(key, (this.#ends.get(key) ?? 0) + 1);
    const wrong: string[] = [];
    // Submitting it again starts nothing, and gives the same answer.
    this.#engine.endings.delete(id);
    this.#engine.run(job);
    await until("it is told again", () => this.#engine.endings.has(id)).catch(() =>
      wrong.push("it is not told again"),
    );
    for (const engine of this.#followers(job)) {
      const ending = engine.endings.get(id);
      if (ending !== undefined && !isDeepStrictEqual(ending, first))
        wrong.push(`it ended as ${JSON.stringify(first)} and as ${JSON.stringify(ending)}`);
    }
    const there = this.#host.folderOf(id) ?? "/nowhere";
    if (this.#slurm !== undefined) {
      const named = this.#slurm.ask("squeue", "-h", "-t", "all", "-o", "%j").split("\n");
      const given = named.filter((name) => name.endsWith(`-${id}`)).length;
      if (given !== 1) wrong.push(`Slurm was given ${given} jobs`);
    }
    const copies = this.#followers(job).map(({ runs }) => join(runs, id));
    const rollouts = join(there, "rollouts.jsonl");
    if (existsSync(rollouts)) this.#bytes += readFileSync(rollouts).length;
    if (job.isVersion) {
      const copy = join(this.#engine.runs, id);
      wrong.push(...wrongPolicies(job, first, { truth: this.#truth, given: this.#policyIn, copy }));
    }
    wrong.push(...wrongIn(job, first, truthOf(this.#truth, id)), ...wrongEvidence(job, there, copies));
    return wrong.map((text) => `${id}: ${text} (${JSON.stringify(first)}, ${[...job.deeds].join(", ")})`);
  }

  /** Nothing is left of finished jobs, and no connection of a process that is gone. */
  async #quiet(name: string, jobs: readonly SoakJob[]): Promise<void> {
    const open = new Set(jobs.filter((job) => !this.#isOver(job)).map((job) => job.spec.id));
    const left = (): string[] => [
      ...this.#host.orphans((id) => open.has(id)),
      ...strayClients(this.#host.ssh.root, [this.#engine, this.#other]),
    ];
    await until("nothing is left", () => left().length === 0, 20).catch(() => this.complain(name, left()));
  }

  #clear(job: SoakJob): void {
    const { id } = job.spec;
    const there = this.#host.folderOf(id);
    for (const folder of [there, ...this.#followers(job).map(({ runs }) => join(runs, id))])
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    for (const engine of [this.#engine, this.#other]) engine.forget(id);
  }

  complain(name: string, wrong: readonly string[]): void {
    for (const text of wrong) {
      this.#wrong.push(`${name}: ${text}`);
      this.#options.say?.(`WRONG ${name}: ${text}`);
    }
  }
}
