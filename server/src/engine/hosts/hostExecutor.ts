import { join } from "node:path";
import { plural } from "../../../../shared/words/numbers.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Executor } from "../../runner/job/executor.ts";
import { HostCleaner } from "../../runner/ssh/hostCleaner.ts";
import { HostShell } from "../../runner/ssh/hostShell.ts";
import type { HostPrograms } from "../../runner/ssh/hostPrograms.ts";
import { HostWork } from "../../runner/ssh/hostWork.ts";
import { rayQueue } from "../../runner/ray/rayQueue.ts";
import { sbatchOptions } from "../../runner/slurm/sbatchOptions.ts";
import { keeperQueue, slurmQueue, type HostQueue } from "../../runner/ssh/queue.ts";
import { SshExecutor } from "../../runner/ssh/sshExecutor.ts";
import type { SshRoute } from "../../runner/ssh/sshArguments.ts";
import { runsFolder } from "../workspace/archive.ts";
import { knownHosts } from "./knownHosts.ts";
import { promptsFor } from "./whoAnswers.ts";
import type { Workspace } from "../workspace/workspace.ts";

/**
 * How a host is reached that the project or its user names. EVOTRAINER_SSH names another ssh client, and EVOTRAINER_SSH_CONFIG
 * another configuration of it. @throws HarnessError badInput, projectInvalid
 */
export async function hostRoute(root: string, name: string): Promise<SshRoute> {
  const { hosts, problems } = await knownHosts(root);
  const spec = hosts.get(name)?.spec;
  if (spec === undefined) {
    const names = [...hosts.keys()];
    const [problem] = problems;
    throw new HarnessError(
      "badInput",
      (names.length === 0
        ? `evotrainer.yaml names no hosts; add one from ~/.ssh/config with \`evotrainer host add\`.`
        : `evotrainer.yaml has no host "${name}"; there ${plural(names.length, "is", "are")} ${names.join(", ")}.`) +
        (problem === undefined ? "" : ` ${problem}`),
    );
  }
  return { name, spec, ...sshClient(), prompts: promptsFor(root) };
}

interface HostOptions {
  readonly programs?: HostPrograms;
  readonly log?: Log;
}

/** The ssh client of the user. */
export function sshClient(): Pick<SshRoute, "program" | "config"> {
  const program = process.env["EVOTRAINER_SSH"] ?? "";
  const config = process.env["EVOTRAINER_SSH_CONFIG"] ?? "";
  return { ...(program === "" ? {} : { program }), ...(config === "" ? {} : { config }) };
}

/** The programs for hosts that lie beside the bundle. */
export const shippedPrograms = (): HostPrograms => ({
  keeper: join(__dirname, "keeper.sh"),
  slurm: join(__dirname, "slurm.sh"),
});

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
  const programs = options.programs ?? shippedPrograms();
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
