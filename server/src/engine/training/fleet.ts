import type { HostSpec } from "../../../../shared/spec/host.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { Log } from "../../base/log.ts";
import { loadProjectSpec } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { Fleet } from "../../runner/fleet/fleet.ts";
import type { FleetHost } from "../../runner/fleet/member.ts";
import { gpusPerJob } from "../../runner/fleet/spending.ts";
import { runsFolder } from "../workspace/archive.ts";
import { hostExecutor } from "../hosts/hostExecutor.ts";
import { hostsOf } from "../jobs/jobList.ts";
import { evolutionBegan, runRecords } from "../jobs/runRecords.ts";
import { localExecutor } from "../workspace/localExecutor.ts";
import { here, machineNames } from "../workspace/machineNames.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Jobs that Slurm or Ray, which keep queues of their own, are given at the same time. */
const queueSlots = 64;

/** Machines that jobs run on, by their names; `close` lets go of the connections, jobs run on. */
export interface OpenFleet {
  readonly fleet: Fleet;
  readonly names: readonly string[];
  readonly close: () => void;
}

/**
 * The machines that are named, or those of trainer.hosts, or this one. @throws HarnessError badInput for a name that
 * evotrainer.yaml does not have, projectInvalid
 */
export async function openFleet(
  workspace: Workspace,
  wanted: readonly string[] | undefined,
  options: { readonly note?: (message: string) => void; readonly log?: Log } = {},
): Promise<OpenFleet> {
  const spec = await loadProjectSpec(workTree(workspace.root));
  const hosts = await hostsOf(workspace.root);
  const names = machineNames(spec, hosts, wanted);
  const closes: (() => void)[] = [];
  const open = async (name: string): Promise<FleetHost> => {
    const host = Object.hasOwn(hosts, name) ? hosts[name] : undefined;
    if (name === here && host?.slurm === undefined && host?.ray === undefined)
      return thisMachine(workspace, spec, host);
    const { executor, close } = await hostExecutor(workspace, name, options);
    closes.push(close);
    return {
      host: name,
      name,
      slots:
        host?.jobs ??
        (host?.slurm === undefined && host?.ray === undefined ? spec.budgets.parallelJobs : queueSlots),
      gpus: host === undefined ? 0 : gpusPerJob(host),
      price: host?.price,
      budget: host?.budget,
      inOneGo: host?.slurm?.array === true,
      executor,
    };
  };
  const members: FleetHost[] = [];
  try {
    for (const name of names) members.push(await open(name));
  } catch (e) {
    for (const close of closes) close();
    throw e;
  }
  const fleet = new Fleet({
    hosts: members,
    ownerHost: (host) => open(host ?? here),
    books: async () => ({
      runs: await runRecords(workspace.engineFolder),
      since: await evolutionBegan(workspace.engineFolder),
    }),
    runsDirectory: runsFolder(workspace),
    ...(options.note === undefined ? {} : { note: options.note }),
  });
  return {
    fleet,
    names,
    close: () => {
      fleet.close();
      for (const close of closes) close();
    },
  };
}

/** Jobs that run at the same time on this machine, without a host of its name or with it. */
function thisMachine(workspace: Workspace, spec: ProjectSpec, host: HostSpec | undefined): FleetHost {
  return {
    host: null,
    name: here,
    slots: host?.jobs ?? spec.budgets.parallelJobs,
    gpus: host?.gpus ?? 0,
    price: host?.price,
    budget: host?.budget,
    inOneGo: false,
    executor: localExecutor(workspace),
  };
}
