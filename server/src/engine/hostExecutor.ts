import { join } from "node:path";
import { HarnessError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { loadProjectSpec } from "../project/project.ts";
import { workTree } from "../project/source.ts";
import type { Executor } from "../runner/executor.ts";
import { HostCleaner } from "../runner/ssh/hostCleaner.ts";
import { HostShell } from "../runner/ssh/hostShell.ts";
import type { HostPrograms } from "../runner/ssh/hostPrograms.ts";
import { HostWork } from "../runner/ssh/hostWork.ts";
import { rayQueue } from "../runner/ray/rayQueue.ts";
import { sbatchOptions } from "../runner/slurm/sbatchOptions.ts";
import { keeperQueue, slurmQueue, type HostQueue } from "../runner/ssh/queue.ts";
import { SshExecutor } from "../runner/ssh/sshExecutor.ts";
import type { SshRoute } from "../runner/ssh/sshArguments.ts";
import { runsFolder } from "./archive.ts";
import type { Workspace } from "./workspace.ts";

/** How a host of the project is reached; EVOTRAINER_SSH names another ssh client. @throws HarnessError badInput, projectInvalid */
export async function hostRoute(root: string, name: string): Promise<SshRoute> {
  const { hosts } = await loadProjectSpec(workTree(root));
  const spec = Object.hasOwn(hosts, name) ? hosts[name] : undefined;
  if (spec === undefined) {
    const names = Object.keys(hosts);
    throw new HarnessError(
      "badInput",
      names.length === 0
        ? `evotrainer.yaml names no hosts; add \`hosts: { ${/^[a-z0-9_-]+$/.test(name) ? name : "gpu"}: {} }\` for a host of ~/.ssh/config.`
        : `evotrainer.yaml has no host "${name}"; there ${names.length === 1 ? "is" : "are"} ${names.join(", ")}.`,
    );
  }
  const program = process.env["EVOTRAINER_SSH"];
  return { name, spec, ...(program === undefined || program === "" ? {} : { program }) };
}

interface HostOptions {
  readonly programs?: HostPrograms;
  readonly log?: Log;
}

/** The executor of a host, and how to let go of its connections; jobs run on. */
export async function hostExecutor(
  workspace: Workspace,
  name: string,
  options: HostOptions = {},
): Promise<{ executor: Executor; close: () => void }> {
  const { shell, work, queue, close, log } = await connect(workspace, name, options);
  return {
    executor: new SshExecutor({ shell, work, queue, runsDirectory: runsFolder(workspace), ...log }),
    close,
  };
}

/** What looks at and removes what the project has on a host. */
export async function hostCleaner(
  workspace: Workspace,
  name: string,
  options: HostOptions = {},
): Promise<{ cleaner: HostCleaner; close: () => void }> {
  const { shell, work, queue, close } = await connect(workspace, name, options);
  return { cleaner: new HostCleaner(shell, work, queue), close };
}

async function connect(workspace: Workspace, name: string, options: HostOptions) {
  const log = options.log === undefined ? {} : { log: options.log };
  const route = await hostRoute(workspace.root, name);
  const shell = new HostShell({ ...route, ...log });
  const programs = options.programs ?? {
    keeper: join(__dirname, "keeper.sh"),
    slurm: join(__dirname, "slurm.sh"),
  };
  const work = new HostWork(shell, workspace.repository, programs);
  const queue = queueOf(route, log);
  const close = (): void => {
    shell.close();
    queue.asked?.close();
  };
  return { shell, work, queue, close, log };
}

function queueOf(route: SshRoute, log: { log?: Log }): HostQueue {
  const { slurm, ray } = route.spec;
  if (slurm !== undefined) return slurmQueue((spec) => sbatchOptions(slurm, spec));
  return ray === undefined ? keeperQueue : rayQueue({ ...route, ray }, log);
}
