import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostSpec, SlurmSpec } from "../../../shared/spec/host.ts";
import { keepEnvironment } from "../base/environment.ts";
import { openRepository } from "../../../server/src/lineage/repository.ts";
import type { JobStatus } from "../../../server/src/runner/job/executor.ts";
import type { JobRequest } from "../../../server/src/runner/job/jobSpec.ts";
import { HostShell } from "../../../server/src/runner/ssh/hostShell.ts";
import { HostWork } from "../../../server/src/runner/ssh/hostWork.ts";
import { slurmQueue } from "../../../server/src/runner/ssh/queue.ts";
import { SshExecutor } from "../../../server/src/runner/ssh/sshExecutor.ts";
import { hostPrograms, until } from "../runner/jobs.ts";
import { sbatchOptions } from "../../../server/src/runner/slurm/sbatchOptions.ts";
import { startTestSlurm, type TestSlurm, type TestSlurmOptions } from "./slurm.ts";

/** A private Slurm that runs jobs of a project; until it stops, its variables are in this process's environment. */
export interface TestCluster {
  readonly slurm: TestSlurm;
  readonly root: string;
  executor(spec?: Partial<SlurmSpec>): SshExecutor;
  job(id: string, script: string, more?: Partial<JobRequest>): JobRequest;
  /** The local copy of a job's folder. */
  copyOf(id: string): string;
  /** The state and number of each entry in Slurm's queue whose name ends like this, ended entries included. */
  entriesOf(name: string): string[];
  running(executor: SshExecutor, id: string): Promise<JobStatus>;
  stop(): Promise<void>;
}

/** A trainer that uses more and more memory. */
export const hungryScript = `exec python3 -c "
import time
held = []
for i in range(40):
    held.append(bytearray(10_000_000)); time.sleep(0.2)
time.sleep(60)"`;

export async function startTestCluster(options: TestSlurmOptions = {}): Promise<TestCluster> {
  const slurm = await startTestSlurm(options);
  const root = realpathSync(mkdtempSync(join(tmpdir(), "evo slurm jobs ")));
  mkdirSync(join(root, "home"));
  const git = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  execFileSync("git", [...git, "commit", "--quiet", "--allow-empty", "-m", "c"], { cwd: root });
  const repository = await openRepository(root);
  const restoreEnvironment = keepEnvironment();
  // What a login node has: Slurm's configuration, and a home folder that every node sees.
  Object.assign(process.env, {
    SLURM_CONF: slurm.configuration,
    HOME: join(root, "home"),
    // Counted in whole seconds: 1 could be over within milliseconds, while Slurm has not queued a job again yet.
    EVO_SLURM_SETTLE: "4",
  });
  const shells: HostShell[] = [];
  return {
    slurm,
    root,
    executor: (spec = {}) => {
      const shell = new HostShell({
        name: "cluster",
        spec: HostSpec.parse({ local: true, slurm: {} }),
      });
      shells.push(shell);
      const work = new HostWork(shell, repository, hostPrograms);
      const queue = slurmQueue((job) => sbatchOptions(SlurmSpec.parse(spec), job));
      return new SshExecutor({
        shell,
        work,
        queue,
        runsDirectory: join(root, "runs"),
        pollMilliseconds: 300,
      });
    },
    job: (id, script, more = {}) => ({
      id,
      command: ["sh", "-c", script],
      cwd: root,
      environment: {},
      budgetSeconds: 120,
      graceSeconds: 1,
      ...more,
    }),
    copyOf: (id) => join(root, "runs", id),
    entriesOf: (name) =>
      slurm
        .ask("squeue", "-r", "-h", "-t", "all", "-o", "%j %i %T")
        .split("\n")
        .filter((line) => line.split(" ")[0]?.endsWith(`-${name}`))
        .map((line) => line.split(" ").slice(1).join(" "))
        .sort(),
    running: (executor, id) =>
      until(
        `${id} runs`,
        async () => {
          const status = await executor.status(id);
          return status.state === "running" ? status : undefined;
        },
        60,
      ),
    stop: async () => {
      for (const shell of shells) shell.close();
      restoreEnvironment();
      await slurm.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
