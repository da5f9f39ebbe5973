/** Tests run this as a program. An engine of the soak test, which messages tell what to run and which may be killed at any moment: `engine.ts <options as JSON>`. */
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { HostSpec } from "../../../shared/spec/host.ts";
import { HarnessError, messageOf } from "../../../server/src/base/errors.ts";
import { openRepository } from "../../../server/src/lineage/repository.ts";
import { JobSpec } from "../../../server/src/runner/job/jobSpec.ts";
import { runJob } from "../../../server/src/runner/runVersion.ts";
import { sbatchOptions } from "../../../server/src/runner/slurm/sbatchOptions.ts";
import { HostShell } from "../../../server/src/runner/ssh/hostShell.ts";
import { HostWork } from "../../../server/src/runner/ssh/hostWork.ts";
import { keeperQueue, slurmQueue } from "../../../server/src/runner/ssh/queue.ts";
import { SshExecutor } from "../../../server/src/runner/ssh/sshExecutor.ts";
import { hostPrograms } from "../runner/jobs.ts";
import { testProject } from "../runner/project.ts";

export const EngineOptions = z.object({
  repository: z.string(),
  /** The folder of the job copies. */
  runs: z.string(),
  program: z.string(),
  spec: HostSpec,
});
export type EngineOptions = z.infer<typeof EngineOptions>;

export const Order = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("run"), job: JobSpec }),
  z.object({ kind: z.literal("version"), job: JobSpec, commit: z.string(), policyIn: z.string() }),
  z.object({ kind: z.literal("cancel"), id: z.string() }),
  z.object({ kind: z.literal("clock"), milliseconds: z.number() }),
]);
export type Order = z.infer<typeof Order>;

/** What an engine reports about the end of a job: only what must be the same each time. */
export const Ending = z.object({
  state: z.string(),
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  timedOut: z.boolean(),
  cancelled: z.boolean(),
  oversize: z.boolean(),
  reason: z.string().nullable(),
  seconds: z.number(),
  /** The verdict on a version. */
  failure: z.string().nullable().default(null),
});
export type Ending = z.infer<typeof Ending>;

export const News = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("seen"), id: z.string() }),
  z.object({ kind: z.literal("ended"), id: z.string(), ending: Ending }),
  z.object({ kind: z.literal("said"), id: z.string(), message: z.string() }),
  z.object({ kind: z.literal("failed"), id: z.string(), message: z.string() }),
]);
export type News = z.infer<typeof News>;

/** A request that failed because of an outage or a full disk is made again. */
const passes = (e: unknown): boolean =>
  HarnessError.is(e, "hostUnreachable") || HarnessError.is(e, "diskFull");

async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await work();
    } catch (e) {
      if (!passes(e)) throw e;
      await delay(200);
    }
}

async function engine(options: EngineOptions): Promise<void> {
  const shell = new HostShell({
    name: "testhost",
    spec: options.spec,
    program: options.program,
    aliveSeconds: 1,
    patienceSeconds: 1,
  });
  const { slurm } = options.spec;
  const repository = await openRepository(options.repository);
  const executor = new SshExecutor({
    shell,
    work: new HostWork(shell, repository, hostPrograms),
    queue: slurm === undefined ? keeperQueue : slurmQueue((job) => sbatchOptions(slurm, job)),
    runsDirectory: options.runs,
    pollMilliseconds: 100,
  });
  const say = (news: News): void => void process.send?.(news);
  const follow = async (job: JobSpec): Promise<void> => {
    const { id } = job;
    await persist(() => executor.submit(job));
    const status = await persist(() => executor.wait(id, { onPoll: () => say({ kind: "seen", id }) }));
    say({ kind: "ended", id, ending: Ending.parse(status) });
  };
  /** Repeats a command as often as necessary, as a user would. */
  const train = async ({ job, commit, policyIn }: Extract<Order, { kind: "version" }>): Promise<void> => {
    const { id, budgetSeconds, graceSeconds, environment } = job;
    const request = {
      ...{ repository, commit, policyIn, budgetSeconds, graceSeconds, executor },
      ...{ run: id, version: id, seed: 1, splits: ["train"] as const },
      // Its jobs note where the soak looks what they did; a confined job sees a /tmp of its own.
      project: testProject({ environment, confine: "off" }),
      onProgress: () => say({ kind: "seen", id }),
    };
    for (let tries = 0; ; tries++)
      try {
        const { failure } = await runJob(request);
        say({ kind: "ended", id, ending: Ending.parse({ ...(await executor.status(id)), failure }) });
        return;
      } catch (e) {
        if (!HarnessError.is(e) || tries > 100) throw e;
        say({ kind: "said", id, message: e.message });
        await delay(300);
      }
  };
  const realNow = Date.now;
  process.on("message", (message) => {
    const order = Order.parse(message);
    if (order.kind === "clock") Date.now = () => realNow() + order.milliseconds;
    else {
      const { id } = order.kind === "cancel" ? order : order.job;
      const work =
        order.kind === "run"
          ? follow(order.job)
          : order.kind === "version"
            ? train(order)
            : persist(() => executor.cancel(id)).catch((e: unknown) => {
                // Nobody had begun to submit it.
                if (!HarnessError.is(e, "notFound")) throw e;
              });
      work.catch((e: unknown) => say({ kind: "failed", id, message: messageOf(e) }));
    }
  });
  process.on("disconnect", () => process.exit());
  say({ kind: "ready" });
}

const [, program = "", given] = process.argv;
if (/[\\/]soak[\\/]engine\.m?[jt]s$/.test(program) && given !== undefined)
  await engine(EngineOptions.parse(JSON.parse(given)));
