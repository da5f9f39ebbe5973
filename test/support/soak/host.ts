import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { codeOf } from "../../../server/src/base/errors.ts";
import { readJobFacts } from "../../../server/src/runner/job/jobDirectory.ts";
import { startTestHost, type TestHost } from "../ssh/host.ts";
import { processesOf, until } from "../runner/jobs.ts";

/** A machine for jobs that can restart, run out of disk, and have a wrong clock. */
export interface SoakHost {
  readonly ssh: TestHost;
  /** The folder of the runs: a separate small file system if this user may mount one. */
  readonly scratch: string;
  readonly canFill: boolean;
  /** The folder of a job on the host; undefined before the job has one. */
  folderOf(id: string): string | undefined;
  /** Kills the job's keeper; returns whether there was one. */
  killKeeper(id: string): boolean;
  killJob(id: string): boolean;
  /** Fills the rest of the disk. */
  fill(): void;
  free(): void;
  /** Moves the clock that `date` shows. */
  setClock(seconds: number): void;
  /** Kills all processes at once, and changes the files as if they came from an earlier boot. */
  restart(): Promise<void>;
  /** Processes that belong to no connection and to no job that `isOpen`. */
  orphans(isOpen: (id: string) => boolean): string[];
  stop(): Promise<void>;
}

const diskMebibytes = 24;

export async function startSoakHost(
  root: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<SoakHost> {
  const scratch = join(root, "scratch");
  mkdirSync(scratch);
  const canFill = mount(scratch);
  const bin = join(root, "bin");
  const clock = join(root, "clock");
  mkdirSync(bin);
  writeFileSync(clock, "0\n");
  program(
    join(bin, "date"),
    `read -r jump <'${clock}'
exec /bin/date -d "@$(($(/bin/date +%s) + jump))" "$@"`,
  );
  program(
    join(bin, "nvidia-smi"),
    `case $* in
*utilization*) echo '80, 1000, 300.5' ;;
--query-gpu=*) echo '0, GPU-0'; echo '1, GPU-1' ;;
esac`,
  );
  const ssh = await startTestHost({ environment: { PATH: `${bin}:/usr/bin:/bin`, ...environment } });
  const runs = (): string[] =>
    readdirSync(scratch)
      .map((project) => join(scratch, project, "runs"))
      .filter((folder) => existsSync(folder));
  const folderOf = (id: string): string | undefined =>
    runs()
      .map((folder) => join(folder, id))
      .find((folder) => existsSync(folder));
  const identities = (id: string): { keeper: number | undefined; leader: number | undefined } => {
    const folder = folderOf(id);
    const facts = folder === undefined ? undefined : readJobFacts(folder);
    return facts?.end === undefined
      ? { keeper: facts?.keeper?.pid, leader: facts?.leader?.pid }
      : { keeper: undefined, leader: undefined };
  };
  const filler = join(scratch, "filler");
  const processes = (): { pid: number; command: string }[] =>
    processesOf(ssh.home).filter(({ command }) => !command.startsWith("sshd"));
  return {
    ssh,
    scratch,
    canFill,
    folderOf,
    killKeeper: (id) => kill(identities(id).keeper),
    killJob: (id) => {
      const { leader } = identities(id);
      return leader !== undefined && kill(-leader);
    },
    fill: () => {
      const file = openSync(filler, "a");
      try {
        for (const part of [Buffer.alloc(65_536), Buffer.alloc(1)]) while (writeSync(file, part) > 0);
      } catch (e) {
        if (codeOf(e) !== "ENOSPC") throw e;
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler, { force: true }),
    setClock: (seconds) => writeFileSync(clock, `${seconds}\n`),
    restart: async () => {
      ssh.proxy.freeze();
      ssh.killSessions();
      await until("all processes of the host are gone", () => {
        const left = processes();
        for (const { pid } of left) kill(pid);
        return left.length === 0;
      });
      anotherBoot([...runs(), join(ssh.home, ".evotrainer/locks")]);
      ssh.proxy.reset();
      ssh.proxy.thaw();
    },
    orphans: (isOpen) => {
      const sessions = ssh.sessions();
      const all = processes();
      const shells = all.filter(({ command }) => command.trim() === "sh -s");
      const jobs = all.filter(({ command, pid }) => {
        const id = /\/runs\/([^/\s]+)/.exec(`${command} ${environmentOf(pid)}`)?.[1];
        return id !== undefined && !isOpen(id) && !/ (?:status|submit|cancel) /.test(command);
      });
      return [
        ...jobs.map(({ pid, command }) => `${pid} ${command.slice(0, 200)}`),
        ...(shells.length > sessions ? [`${shells.length} shells of ${sessions} connections`] : []),
      ];
    },
    stop: async () => {
      try {
        await ssh.stop();
      } finally {
        if (canFill) execFileSync("umount", ["-l", scratch]);
      }
    },
  };
}

function mount(folder: string): boolean {
  if (userInfo().uid !== 0) return false;
  try {
    const options = `size=${diskMebibytes}m,mode=700`;
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function program(path: string, body: string): void {
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}

function kill(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/** Replaces the kernel's id of this boot in the files with another one. */
function anotherBoot(folders: readonly string[]): void {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  const earlier = randomUUID();
  for (const folder of folders.filter((path) => existsSync(path)))
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile() || !/^(?:pid|keeper)$|^\d{9}\./.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      const text = readFileSync(path, "utf8");
      if (!text.includes(boot)) continue;
      // In place, byte for byte, because it has to work on a full disk as well.
      const { atime, mtime } = statSync(path);
      writeFileSync(path, text.replaceAll(boot, earlier), { flag: "r+" });
      utimesSync(path, atime, mtime);
    }
}
