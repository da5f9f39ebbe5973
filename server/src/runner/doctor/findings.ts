import { inPalette } from "../../../../shared/words/commandTitles.ts";
import { duration, plural, size } from "../../../../shared/words/numbers.ts";
import type { HostFinding } from "../../../../shared/protocol/views/hosts.ts";
import { messageOf } from "../../base/errors.ts";
import type { AskedPython } from "./trainerPython.ts";
import type { SshRoute } from "../ssh/sshArguments.ts";

/** What a host said of itself, by key; see doctor.ts. */
type Facts = ReadonlyMap<string, string>;

const minimumFreeBytes = 5 * 1024 ** 3;
const minimumFreeFiles = 10_000;
const clockToleranceSeconds = 5;
const slowLoginSeconds = 10;

const good = (about: string, found: string): HostFinding => ({ about, state: "good", found, mend: null });
const note = (about: string, found: string, mend: string): HostFinding => ({
  about,
  state: "note",
  found,
  mend,
});
const bad = (about: string, found: string, mend: string): HostFinding => ({
  about,
  state: "bad",
  found,
  mend,
});

/** What to do, by what the ssh client or we said of a login that failed. */
function cures({ spec, name }: SshRoute): readonly (readonly [RegExp, string])[] {
  const ssh = spec.ssh ?? name;
  return [
    [/question was not answered|more than a login needs/, "Check the host again and answer what ssh asks."],
    [
      /REMOTE HOST IDENTIFICATION HAS CHANGED|Host key for .* has changed/,
      `Its key has changed. Ask its administrator whether that is right; if so, remove the old one with \`ssh-keygen -R\` and its address.`,
    ],
    [
      /Host key verification failed/,
      `Compare its key and accept it: \`ssh ${ssh}\` in a terminal asks for that, as does “${inPalette("evotrainer.checkHost")}” in the editor.`,
    ],
    [
      /Permission denied|Too many authentication failures/,
      `Load your key with ssh-add, put your public key into ~/.ssh/authorized_keys there, or correct User and IdentityFile in ~/.ssh/config: \`ssh ${ssh}\` has to work in a terminal.`,
    ],
    [
      /resolve hostname|Name or service not known|nodename nor servname/,
      `Correct HostName in ~/.ssh/config or hosts.${name}.ssh; names inside a network need its VPN.`,
    ],
    [
      /Connection refused|timed out|No route to host|Network is unreachable/,
      "Check that the machine is up, that its port is right and that you can reach its network, by VPN or ProxyJump.",
    ],
    [/Bad configuration|Bad owner|terminating, \d+ bad/, "Correct ~/.ssh/config: the line is named above."],
    [/ENOENT/, "Install an OpenSSH client here, or name it in EVOTRAINER_SSH."],
    [/ssh: |kex_|Connection closed|Connection reset|banner/, `Make \`ssh ${ssh}\` work in a terminal first.`],
  ];
}

/** A host that could not be asked: ssh came not through, or the login shell did not answer. */
export function noLogin(route: SshRoute, error: unknown): HostFinding {
  const found = messageOf(error);
  const cure = cures(route).find(([said]) => said.test(found))?.[1];
  if (cure !== undefined || route.spec.local)
    return bad("login", found, cure ?? "Check that `sh` works here.");
  return bad(
    "shell",
    found,
    "ssh connects, but the login shell there exits or does not answer. Give the account a shell with chsh, and make sure that in a shell that is not interactive its profile does not ask, exit or start another program.",
  );
}

export function shell(facts: Facts, noiseBytes: number, loginSeconds: number): HostFinding[] {
  const name = facts.get("shell") ?? "";
  const found = name === "" ? "unknown" : name;
  if (noiseBytes > 0)
    return [
      note(
        "shell",
        `${found}, prints ${noiseBytes} bytes at login`,
        "You need not do anything, but scp and rsync may fail because of it. Let the profile print only in interactive shells.",
      ),
    ];
  return loginSeconds > slowLoginSeconds
    ? [
        note(
          "shell",
          `${found}, ready after ${duration(loginSeconds)}`,
          "Logging in is slow; check what the shell's profile starts there, and whether sshd looks up names (UseDNS).",
        ),
      ]
    : [good("shell", found)];
}

/** `trial`: seconds that a job took, or why it failed; undefined when none was tried. */
export function keeper(facts: Facts, trial: number | string | undefined): HostFinding[] {
  const missing = facts.get("missing");
  const system = facts.get("system") ?? "an unknown system";
  if (system !== "Linux")
    return [bad("keeper", system, "Use a Linux machine; jobs on other systems can only run locally.")];
  if (missing !== undefined)
    return [
      bad(
        "keeper",
        `${missing} missing`,
        "Install util-linux (flock, setsid), coreutils or BusyBox, git and tar there.",
      ),
    ];
  if (facts.has("unlockable"))
    return [
      bad(
        "keeper",
        "files cannot be locked in the work folder",
        "Name a directory on a file system with locks: a local disk, or NFS with its lock service.",
      ),
    ];
  if (typeof trial === "string")
    return [
      bad(
        "keeper",
        `a job that does nothing failed: ${trial}`,
        "See docs/jobs.md for what the keeper needs.",
      ),
    ];
  return [
    good(
      "keeper",
      trial === undefined ? `${system} with everything that jobs need` : `ran a job in ${duration(trial)}`,
    ),
  ];
}

/** Whether jobs outlive a logout where systemd keeps the sessions. */
export function linger(facts: Facts): HostFinding[] {
  if (facts.get("kills") !== "b true" || facts.get("linger") === "yes") return [];
  return [
    bad(
      "logout",
      "all processes of a user are ended at logout (KillUserProcesses)",
      "Run `loginctl enable-linger` there once, or jobs end with the connection.",
    ),
  ];
}

export function disk(facts: Facts, { spec, name }: SshRoute): HostFinding[] {
  const free = Number(facts.get("free")) * 1024;
  if (!facts.has("free") || Number.isNaN(free))
    return [
      bad(
        "disk",
        `${spec.directory} cannot be written to`,
        `Name another directory for the host (hosts.${name}.directory), or make this one yours.`,
      ),
    ];
  const [files, freeFiles] = (facts.get("inodes") ?? "").split(" ").map(Number);
  if (files !== undefined && files > 0 && freeFiles !== undefined && freeFiles < minimumFreeFiles)
    return [
      note(
        "disk",
        `room for ${freeFiles} more files in ${spec.directory}`,
        "Remove files there, or name a directory on another disk.",
      ),
    ];
  const found = `${size(free)} free in ${spec.directory}`;
  return free >= minimumFreeBytes
    ? [good("disk", found)]
    : [note("disk", found, "Free some space, or name a directory on a larger disk.")];
}

/** `during` is when it was asked and when its answer was here, in milliseconds since 1970: it may have looked at any moment between. */
export function clock(
  facts: Facts,
  during: { readonly asked: number; readonly answered: number },
): HostFinding[] {
  const there = Number(facts.get("clock"));
  // A clock that tells whole seconds is up to one behind.
  const off = Math.max(0, during.asked / 1000 - 1 - there, there - during.answered / 1000);
  const found = Number.isNaN(off) ? "its clock cannot be read" : `${duration(off)} away from this machine's`;
  return off <= clockToleranceSeconds
    ? [good("clock", found)]
    : [
        note(
          "clock",
          found,
          "Set up time synchronisation there (timedatectl set-ntp true). The lineage takes its times from this machine, and budgets do not depend on clocks.",
        ),
      ];
}

const torchFact = /^(\d\S*) (\S+) (\d+)$/;

export function python(facts: Facts, { name }: SshRoute, { program, key }: AskedPython): HostFinding[] {
  const version = facts.get("python") ?? "";
  const named = key === "python" ? `hosts.${name}.python` : key;
  if (!/^\d+\.\d+/.test(version))
    return [
      note(
        "python",
        `${program} does not run: ${version}`,
        `Name a Python that does: ${named}. A trainer without Python needs none.`,
      ),
    ];
  const torch = facts.get("torch") ?? "nothing";
  const [, torchVersion] = torchFact.exec(torch) ?? [];
  return [
    good("python", `${version} (${program})`),
    torchVersion === undefined
      ? note(
          "torch",
          torch,
          `Install torch for ${program} there, or name the Python that has it (${named}). A trainer without torch needs none.`,
        )
      : good("torch", torchVersion),
  ];
}

/** Whether torch sees the GPUs that the driver has. */
export function accelerator(facts: Facts, { spec }: SshRoute): HostFinding[] {
  // A login node says nothing about the cluster.
  if (spec.slurm !== undefined || spec.ray !== undefined) return [];
  const count = Number(facts.get("gpus") ?? 0);
  const smi = facts.get("smi");
  if (smi !== undefined)
    return [
      note(
        "cuda",
        `nvidia-smi fails: ${smi}`,
        "Repair the NVIDIA driver there; after a driver update, a reboot helps.",
      ),
    ];
  const [, , built, seen] = torchFact.exec(facts.get("torch") ?? "") ?? [];
  if (count === 0 || built === undefined) return [];
  const driver = facts.get("driver") ?? "";
  const supports = driver === "" ? "" : `, the driver supports ${driver}`;
  if (built === "None")
    return [
      note(
        "cuda",
        `torch was built without CUDA, and there ${plural(count, "is a GPU", `are ${count} GPUs`)}`,
        `Install a torch that was built for CUDA${driver === "" ? "" : ` ${driver} or older`}.`,
      ),
    ];
  return Number(seen) < count
    ? [
        note(
          "cuda",
          `torch sees ${seen ?? "0"} of ${count} GPUs; it was built for CUDA ${built}${supports}`,
          "Install a torch that was built for a CUDA version of the driver, or a newer driver; see whether CUDA_VISIBLE_DEVICES is set there.",
        ),
      ]
    : [good("cuda", `${built}${supports}`)];
}

export function gpus(facts: Facts, { spec, name }: SshRoute): HostFinding[] {
  if (spec.slurm !== undefined || spec.ray !== undefined) return [];
  const count = Number(facts.get("gpus") ?? 0);
  const first = facts.get("gpu");
  return count >= spec.gpus
    ? [
        good(
          "gpus",
          count === 0
            ? "none, and jobs ask for none"
            : `${count} (${first ?? ""}), of which each job gets ${spec.gpus}`,
        ),
      ]
    : [
        bad(
          "gpus",
          `${count}, and each job wants ${spec.gpus}`,
          `Correct hosts.${name}.gpus, or install the NVIDIA driver there: its nvidia-smi says which GPUs are free.`,
        ),
      ];
}

export function slurm(facts: Facts, { spec, name }: SshRoute): HostFinding[] {
  if (spec.slurm === undefined) return [];
  const version = facts.get("slurm") ?? "";
  if (!/^slurm\S* \d/.test(version))
    return [
      bad(
        "slurm",
        version,
        `Name a login node of the cluster, or leave hosts.${name}.slurm out; PATH there must contain sbatch and squeue.`,
      ),
    ];
  const nodes = facts.get("nodes") ?? "";
  const accounting = facts.get("accounting") ?? "";
  return [
    / up /.test(nodes)
      ? good("slurm", `${version}: ${nodes}`)
      : bad(
          "slurm",
          nodes === "" ? `no partition ${spec.slurm.partition ?? ""}` : nodes,
          `Correct hosts.${name}.slurm.partition: \`sinfo\` there lists what is up.`,
        ),
    accounting === ""
      ? good("accounting", "sacct answers")
      : note(
          "accounting",
          accounting,
          "You need not do anything, but you can see why a job was killed only for as long as Slurm keeps it (MinJobAge).",
        ),
  ];
}
