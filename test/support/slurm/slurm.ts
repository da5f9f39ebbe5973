import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { until } from "../runner/jobs.ts";
import { patience } from "../base/patience.ts";

/** A private Slurm on this machine: a controller and three nodes, each with eight processors and two pretended GPUs. */
export interface TestSlurm {
  readonly root: string;
  /** The path of slurm.conf, which every process that asks this Slurm needs in its environment. */
  readonly configuration: string;
  /** Runs one of Slurm's programs and returns what it printed. */
  ask(program: string, ...args: string[]): string;
  /** Ends the controller, or starts it again; the jobs run on. */
  controller(state: "up" | "down"): Promise<void>;
  /** Kills a node and all its processes, as a power cut would. */
  cutNode(name: string): void;
  /** Lets a killed node come back, and waits until it accepts jobs. */
  returnNode(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** Why no Slurm can be started here; undefined where it can. */
export function slurmProblem(): string | undefined {
  if (process.platform !== "linux") return "the private Slurm of the tests needs Linux";
  if (userInfo().uid !== 0) return "the private Slurm of the tests needs root";
  const missing = ["/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/sbin/munged"].find(
    (file) => !existsSync(file),
  );
  return missing === undefined ? undefined : `there is no ${missing}; install slurm-wlm`;
}

const nodes = ["n1", "n2", "n3"];

export interface TestSlurmOptions {
  /** Lines that replace lines of slurm.conf with the same name. */
  readonly configuration?: (root: string) => Readonly<Record<string, string>>;
  /** Lines of cgroup.conf. */
  readonly cgroups?: readonly string[];
  /** Starts what the controller needs once munge runs; returns how to stop it. */
  readonly beforeController?: (root: string) => Promise<() => Promise<void>>;
}

export async function startTestSlurm(options: TestSlurmOptions = {}): Promise<TestSlurm> {
  const root = mkdtempSync(join(tmpdir(), "evoslurm-"));
  execFileSync("chmod", ["755", root]);
  for (const folder of ["state", "dev", ...nodes.map((name) => `spool.${name}`)])
    mkdirSync(join(root, folder));
  writeFileSync(join(root, "munge.key"), randomBytes(128), { mode: 0o600 });
  // NVIDIA's major number, but without a driver.
  for (const gpu of ["0", "1"]) execFileSync("mknod", [join(root, "dev", `nvidia${gpu}`), "c", "195", gpu]);
  const ports = await freePorts(nodes.length + 1);
  const configuration = join(root, "slurm.conf");
  writeFileSync(configuration, configured(configurationOf(root, ports), options.configuration?.(root) ?? {}));
  writeFileSync(join(root, "gres.conf"), `NodeName=n[1-3] Name=gpu Type=fake File=${root}/dev/nvidia[0-1]\n`);
  writeFileSync(join(root, "cgroup.conf"), ["CgroupAutomount=no", ...(options.cgroups ?? []), ""].join("\n"));
  const env = { ...process.env, SLURM_CONF: configuration };
  const start = (program: string, ...args: string[]): void => {
    execFileSync(program, args, { env, stdio: "ignore" });
  };
  start(
    "/usr/sbin/munged",
    ...["key-file=munge.key", "socket=munge.sock", "pid-file=munged.pid", "log-file=munged.log"].map(
      (option) => `--${option.replace("=", `=${root}/`)}`,
    ),
    `--seed-file=${root}/munge.seed`,
    "--force",
  );
  const stopMore = await options.beforeController?.(root);
  const controllerUp = (): void => start("/usr/sbin/slurmctld", "-f", configuration);
  controllerUp();
  for (const name of nodes) start("/usr/sbin/slurmd", "-f", configuration, "-N", name);
  const ask = (program: string, ...args: string[]): string =>
    spawnSync(program, args, { env, encoding: "utf8", timeout: 20_000 * patience }).stdout.trim();
  const pidOf = (name: string): number => Number(readFileSync(join(root, `${name}.pid`), "utf8"));
  const idle = (): boolean =>
    ask("sinfo", "-h", "-p", "gpu", "-t", "idle", "-o", "%D") === String(nodes.length);
  await until("the nodes are idle", idle, 30);
  return {
    root,
    configuration,
    ask,
    controller: async (state) => {
      if (state === "up") controllerUp();
      else {
        const pid = pidOf("slurmctld");
        process.kill(pid, "SIGTERM");
        await until("the controller is gone", () => !existsSync(`/proc/${pid}`), 20);
      }
    },
    cutNode: (name) => {
      const pid = pidOf(`slurmd.${name}`);
      const steps = spawnSync("pgrep", ["-f", `slurmstepd: \\[`], { encoding: "utf8" }).stdout.split("\n");
      process.kill(pid, "SIGKILL");
      for (const step of steps.map(Number).filter((at) => at > 0)) {
        const children = childrenOf(step);
        const isThere = children.some((child) => environmentOf(child).includes(`SLURMD_NODENAME=${name}\0`));
        if (!environmentOf(step).includes(configuration) || !isThere) continue;
        // Before its processes, which would otherwise still report how they ended.
        process.kill(step, "SIGKILL");
        for (const child of children) killTree(child);
      }
    },
    returnNode: async (name) => {
      start("/usr/sbin/slurmd", "-f", configuration, "-N", name);
      await until(
        `${name} is back`,
        () => /^(?:idle|mixed|allocated)$/.test(ask("sinfo", "-h", "-n", name, "-p", "gpu", "-o", "%T")),
        60,
      );
    },
    stop: async () => {
      ask("scancel", "-u", userInfo().username);
      await until("no job is left", () => ask("squeue", "-h") === "", 30).catch(() => undefined);
      for (const name of ["slurmctld", ...nodes.map((node) => `slurmd.${node}`), "munged"])
        try {
          process.kill(pidOf(name), "SIGKILL");
        } catch {
          // It was killed by the test.
        }
      await stopMore?.();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function configurationOf(root: string, [controller = 0, ...ofNodes]: readonly number[]): string {
  const host = hostname().split(".")[0] ?? "localhost";
  const daemons = ["Slurmctld", "Slurmd"].map((daemon) => {
    const name = daemon === "Slurmd" ? "slurmd.%n" : "slurmctld";
    return `${daemon}PidFile=${root}/${name}.pid\n${daemon}LogFile=${root}/${name}.log`;
  });
  const machine =
    "CPUs=8 Sockets=1 CoresPerSocket=8 ThreadsPerCore=1 RealMemory=8000 Gres=gpu:fake:2 State=UNKNOWN";
  return `ClusterName=test
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${controller}
AuthType=auth/munge
AuthInfo=socket=${root}/munge.sock
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=${root}/state
SlurmdSpoolDir=${root}/spool.%n
${daemons.join("\n")}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,sched_min_interval=0
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
GresTypes=gpu
KillWait=2
MinJobAge=3600
SlurmdTimeout=${6 * Math.min(patience, 4)}
InactiveLimit=0
RebootProgram=/bin/true
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
${nodes.map((name, i) => `NodeName=${name} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${ofNodes[i] ?? 0} ${machine}`).join("\n")}
PartitionName=gpu Nodes=ALL Default=YES MaxTime=1-0 DefMemPerCPU=100 State=UP PriorityTier=1
PartitionName=urgent Nodes=ALL MaxTime=1-0 DefMemPerCPU=100 State=UP PriorityTier=10
PartitionName=closed Nodes=ALL MaxTime=1-0 State=DOWN
`;
}

function configured(text: string, lines: Readonly<Record<string, string>>): string {
  const others = text.split("\n").filter((line) => !Object.hasOwn(lines, line.split("=", 1)[0] ?? ""));
  return [...Object.entries(lines).map(([name, value]) => `${name}=${value}`), ...others].join("\n");
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(
    servers.map(async (server) => {
      server.close();
      await once(server, "close");
    }),
  );
  return ports;
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

const childrenOf = (pid: number): number[] =>
  spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
    .stdout.split("\n")
    .map(Number)
    .filter((child) => child > 0);

function killTree(pid: number): void {
  for (const child of childrenOf(pid)) killTree(child);
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended in between.
  }
}
