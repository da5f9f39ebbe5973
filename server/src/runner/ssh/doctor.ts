import { HarnessError, messageOf } from "../../base/errors.ts";
import { shellWord } from "../keeper/payload.ts";
import { rayFindings } from "../ray/rayFindings.ts";
import { HostShell } from "./hostShell.ts";
import type { SshRoute } from "./sshArguments.ts";

/** One thing that was looked at on a host. */
export interface Finding {
  readonly about: string;
  /** bad: no job can run; note: some jobs cannot. */
  readonly state: "good" | "note" | "bad";
  readonly found: string;
  /** What to do about it; null when it is good. */
  readonly mend: string | null;
}

const minimumFreeBytes = 5 * 1024 ** 3;
const clockToleranceSeconds = 5;

/** Looks at all that a job needs on a host. Changes nothing there but the work folder, which it makes. */
export async function examineHost(route: SshRoute): Promise<Finding[]> {
  const shell = new HostShell({ ...route, patienceSeconds: 5 });
  try {
    const started = Date.now();
    await shell.run("true");
    const login = Date.now() - started;
    const asked = Date.now();
    const facts = read((await shell.run(questions(route))).toString("utf8"));
    const findings: Finding[] = [good("login", `${(login / 1000).toFixed(1)} s to connect`)];
    findings.push(
      ...programs(facts),
      ...disk(facts, route),
      ...clock(facts, (asked + Date.now()) / 2),
      ...python(facts, route),
      ...gpus(facts, route),
      ...slurm(facts, route),
    );
    const { ray } = route.spec;
    if (ray !== undefined) findings.push(...(await rayFindings({ ...route, ray })));
    return findings;
  } catch (e) {
    if (!HarnessError.is(e)) throw e;
    return [
      {
        about: "login",
        state: "bad",
        found: messageOf(e),
        mend: `Make \`ssh ${route.spec.ssh ?? route.name}\` work without a question in a terminal: accept its host key there, load your key with ssh-add, or correct ~/.ssh/config.`,
      },
    ];
  } finally {
    shell.close();
  }
}

function questions({ spec }: SshRoute): string {
  const folder = spec.directory.startsWith("~/")
    ? `"$HOME"/${shellWord(spec.directory.slice(2))}`
    : shellWord(spec.directory);
  return `umask 077
say() { printf '%s=%s\\n' "$1" "$(printf '%s' "$2" | tr '\\n' ' ')"; }
say system "$(uname -s)"
say clock "$(date +%s)"
for p in flock setsid git tar cksum stat cmp; do command -v "$p" >/dev/null 2>&1 || say missing "$p"; done
[ -r /proc/self/stat ] || say missing /proc
mkdir -p ${folder} 2>/dev/null && [ -w ${folder} ] && say free "$(df -Pk ${folder} | tail -n 1 | awk '{print $4}')"
say python "$(${shellWord(spec.python)} -c 'import platform; print(platform.python_version())' 2>&1 | tail -n 1)"
say torch "$(${shellWord(spec.python)} -c 'import torch; print(torch.__version__, torch.cuda.device_count() if torch.cuda.is_available() else 0)' 2>&1 | tail -n 1)"
${spec.slurm === undefined ? "" : slurmQuestions(spec.slurm.partition)}say gpus "$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | wc -l)"`;
}

function read(text: string): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (const [, key = "", value = ""] of text.matchAll(/^([a-z]+)=(.*)$/gm)) {
    const clean = value
      .replace(/\p{Cc}+/gu, " ")
      .trim()
      .slice(0, 200);
    facts.set(key, key === "missing" && facts.has(key) ? `${facts.get(key) ?? ""}, ${clean}` : clean);
  }
  return facts;
}

const good = (about: string, found: string): Finding => ({ about, state: "good", found, mend: null });

function programs(facts: ReadonlyMap<string, string>): Finding[] {
  const missing = facts.get("missing");
  const system = facts.get("system") ?? "an unknown system";
  if (system !== "Linux")
    return [
      {
        about: "keeper",
        state: "bad",
        found: system,
        mend: "Use a Linux machine; jobs on other systems can only run locally.",
      },
    ];
  return missing === undefined
    ? [good("keeper", `${system} with all that the keeper needs`)]
    : [
        {
          about: "keeper",
          state: "bad",
          found: `${missing} missing`,
          mend: "Install util-linux (flock, setsid), coreutils or BusyBox, git and tar there.",
        },
      ];
}

function disk(facts: ReadonlyMap<string, string>, { spec }: SshRoute): Finding[] {
  const free = Number(facts.get("free")) * 1024;
  if (!facts.has("free") || Number.isNaN(free))
    return [
      {
        about: "disk",
        state: "bad",
        found: `${spec.directory} cannot be written to`,
        mend: "Name another directory for the host in evotrainer.yaml, or make this one yours.",
      },
    ];
  const found = `${(free / 1024 ** 3).toFixed(1)} GiB free in ${spec.directory}`;
  return free >= minimumFreeBytes
    ? [good("disk", found)]
    : [
        {
          about: "disk",
          state: "note",
          found,
          mend: "Free some space, or name a directory on a larger disk.",
        },
      ];
}

function clock(facts: ReadonlyMap<string, string>, here: number): Finding[] {
  const off = Math.abs(Number(facts.get("clock")) - here / 1000);
  return off <= clockToleranceSeconds
    ? [good("clock", `${off.toFixed(0)} s from ours`)]
    : [
        {
          about: "clock",
          state: "note",
          found: `${off.toFixed(0)} s from ours`,
          mend: "Set up time synchronisation there; times in the lineage are ours, budgets do not depend on clocks.",
        },
      ];
}

function python(facts: ReadonlyMap<string, string>, { spec, name }: SshRoute): Finding[] {
  const version = facts.get("python") ?? "";
  if (!/^\d+\.\d+/.test(version))
    return [
      {
        about: "python",
        state: "note",
        found: `${spec.python} does not run: ${version}`,
        mend: `Name a Python that does: hosts.${name}.python in evotrainer.yaml. A trainer without Python needs none.`,
      },
    ];
  const [, torch, cuda] = /^(\d\S*) (\d+)$/.exec(facts.get("torch") ?? "") ?? [];
  if (torch === undefined)
    return [
      good("python", version),
      {
        about: "torch",
        state: "note",
        found: facts.get("torch") ?? "nothing",
        mend: `Install torch for ${spec.python} there, or name the Python that has it. A trainer without torch needs none.`,
      },
    ];
  const count = Number(facts.get("gpus") ?? 0);
  return [
    good("python", version),
    Number(cuda) < count
      ? {
          about: "torch",
          state: "note",
          found: `${torch} sees ${cuda ?? "0"} of ${count} GPUs`,
          mend: "Install a torch that was built for the driver's CUDA version.",
        }
      : good("torch", `${torch} with ${cuda ?? "0"} CUDA devices`),
  ];
}

const slurmQuestions = (
  partition: string | undefined,
): string => `say slurm "$(sinfo --version 2>&1 | tail -n 1)"
say nodes "$(sinfo -h -o '%P %a %D' ${partition === undefined ? "" : `-p ${shellWord(partition)} `}2>&1 | head -n 20)"
say accounting "$(sacct -n -X 2>&1 >/dev/null | tail -n 1)"
`;

function slurm(facts: ReadonlyMap<string, string>, { spec, name }: SshRoute): Finding[] {
  if (spec.slurm === undefined) return [];
  const version = facts.get("slurm") ?? "";
  if (!/^slurm\S* \d/.test(version))
    return [
      {
        about: "slurm",
        state: "bad",
        found: version,
        mend: `Name a login node of the cluster, or leave hosts.${name}.slurm out; PATH there has to hold sbatch and squeue.`,
      },
    ];
  const nodes = facts.get("nodes") ?? "";
  const accounting = facts.get("accounting") ?? "";
  return [
    / up /.test(nodes)
      ? good("slurm", `${version}: ${nodes}`)
      : {
          about: "slurm",
          state: "bad",
          found: nodes === "" ? `no partition ${spec.slurm.partition ?? ""}` : nodes,
          mend: `Correct hosts.${name}.slurm.partition: \`sinfo\` there lists what is up.`,
        },
    accounting === ""
      ? good("accounting", "sacct answers")
      : {
          about: "accounting",
          state: "note",
          found: accounting,
          mend: "Nothing has to be done; why a job was killed is known only for as long as Slurm keeps it (MinJobAge).",
        },
  ];
}

function gpus(facts: ReadonlyMap<string, string>, { spec, name }: SshRoute): Finding[] {
  // Those of a login node say nothing about the cluster.
  if (spec.slurm !== undefined || spec.ray !== undefined) return [];
  const count = Number(facts.get("gpus") ?? 0);
  return count >= spec.gpus
    ? [good("gpus", `${count}, of which each job gets ${spec.gpus}`)]
    : [
        {
          about: "gpus",
          state: "bad",
          found: `${count}, and each job wants ${spec.gpus}`,
          mend: `Correct hosts.${name}.gpus, or install the NVIDIA driver there: its nvidia-smi tells which GPUs are free.`,
        },
      ];
}
