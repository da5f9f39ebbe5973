import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { HostSpec } from "../../../shared/spec/host.ts";
import { processesOf, until } from "../runner/jobs.ts";
import { hostTool, hostTools } from "../runner/tools.ts";
import type { SshRoute } from "../../../server/src/runner/ssh/sshArguments.ts";
import { startProxy, type ChaosProxy } from "./proxy.ts";

/** A private OpenSSH server on this machine with a separate home folder. */
export interface TestHost {
  readonly root: string;
  readonly home: string;
  readonly proxy: ChaosProxy;
  /** The port of the server itself, past the proxy. */
  readonly port: number;
  /** An ssh client that knows the server and nothing else. */
  readonly program: string;
  route(spec?: Partial<HostSpec>): SshRoute;
  /** Ends the open sessions, as a network or an administrator would. */
  killSessions(): void;
  /** How many sessions are open. */
  sessions(): number;
  /** Fails if a process is left on the host. */
  stop(): Promise<void>;
}

/** Why no server can be started here; undefined where it can. */
export function hostProblem(): string | undefined {
  if (process.platform !== "linux") return "the private SSH server of the tests needs Linux";
  if (hostTool("sshd") === undefined) return "there is no sshd; run `node scripts/setup.mjs --hosts`";
  if (userInfo().uid !== 0) return undefined;
  try {
    execFileSync("unshare", ["-m", "true"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "as root the server needs a mount namespace of its own";
  }
}

/** Why the server cannot ask for a password; undefined where it can. */
export function passwordProblem(): string | undefined {
  if (userInfo().uid !== 0) return "only root can give the server of the tests an account with a password";
  return existsSync("/etc/pam.d/common-auth")
    ? undefined
    : "keyboard-interactive needs PAM, as Debian sets it up";
}

/**
 * Starts a server; `shell` is the login shell (as root only), `profile` the files that the shell reads first, and
 * `environment` the variables that the server adds to a session.
 */
export async function startTestHost(
  options: {
    shell?: string;
    profile?: Readonly<Record<string, string>>;
    environment?: Readonly<Record<string, string>>;
    /** The passphrase of the client's key. */
    passphrase?: string;
    /** The client does not know the server's key yet, and asks. */
    unknown?: boolean;
    /** The server asks for this password, keyboard-interactive, instead of accepting a key (as root only). */
    password?: string;
  } = {},
): Promise<TestHost> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "evossh-")));
  const home = join(root, "home dir");
  mkdirSync(home, { mode: 0o700 });
  for (const [name, text] of Object.entries(options.profile ?? {})) writeFileSync(join(home, name), text);
  for (const key of ["host_key", "client_key"])
    execFileSync("ssh-keygen", [
      ...["-q", "-t", "ed25519", "-C", "test", "-f", join(root, key)],
      ...["-N", key === "client_key" ? (options.passphrase ?? "") : ""],
    ]);
  copyFileSync(join(root, "client_key.pub"), join(root, "authorized_keys"));
  const port = await freePort();
  const login = loginSettings(options);
  const { uid, gid, username } = userInfo();
  writeFileSync(
    join(root, "sshd_config"),
    `Port ${port}
ListenAddress 127.0.0.1
HostKey ${root}/host_key
PidFile none
AuthorizedKeysFile ${root}/authorized_keys
StrictModes no
${login.server}
MaxSessions 64
MaxStartups 100:30:200
PrintMotd no
PrintLastLog no
UseDNS no
SetEnv ${Object.entries({ HOME: home, ...options.environment })
      .map(([name, value]) => `"${name}=${value}"`)
      .join(" ")}
`,
  );
  const [, type = "", key = ""] = /^(\S+) (\S+)/.exec(readFileSync(join(root, "host_key.pub"), "utf8")) ?? [];
  writeFileSync(join(root, "known_hosts"), options.unknown === true ? "" : `testhost ${type} ${key}\n`);
  const proxy = await startProxy(port);
  writeFileSync(
    join(root, "ssh_config"),
    `Host testhost
  HostName 127.0.0.1
  HostKeyAlias testhost
  Port ${proxy.port}
  User ${username}
  IdentityFile ${root}/client_key
  IdentitiesOnly yes
  UserKnownHostsFile ${root}/known_hosts
  GlobalKnownHostsFile /dev/null
  ${login.client}
`,
  );
  const program = join(root, "ssh");
  writeFileSync(program, `#!/bin/sh\nexec ssh -F ${root}/ssh_config "$@"\n`);
  chmodSync(program, 0o700);
  const sshd = hostTool("sshd") ?? "";
  const passwd = `${username}:x:${uid}:${gid}::${home}:${options.shell ?? "/bin/sh"}\nsshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n`;
  writeFileSync(join(root, "passwd"), passwd);
  login.prepare(root, username);
  // As root the server needs an account and a folder: it gets them where no other process sees them.
  const prepare =
    uid === 0
      ? `mount -t tmpfs none /run && mkdir -m 755 /run/sshd && mount --bind "$1/passwd" /etc/passwd &&${login.mounts}`
      : "";
  const start = `${prepare} exec "$2" -D -f "$1/sshd_config" -E "$1/sshd.log"`;
  const child = spawn(
    uid === 0 ? "unshare" : "sh",
    [...(uid === 0 ? ["-m", "sh"] : []), "-c", start, "sh", root, sshd],
    {
      stdio: "ignore",
      env: { PATH: process.env["PATH"], LD_LIBRARY_PATH: join(hostTools, "usr/lib/x86_64-linux-gnu") },
    },
  );
  const log = (): string =>
    existsSync(join(root, "sshd.log")) ? readFileSync(join(root, "sshd.log"), "utf8") : "";
  await until("sshd listens", () => {
    if (child.exitCode !== null) throw new Error(`sshd ended: ${log()}`);
    return log().includes("Server listening");
  });
  return {
    root,
    home,
    proxy,
    port,
    program,
    route: (spec = {}) => ({ name: "testhost", spec: HostSpec.parse(spec), program, aliveSeconds: 1 }),
    killSessions: () => {
      for (const pid of childrenOf(child.pid ?? 0)) process.kill(pid, "SIGKILL");
    },
    sessions: () => childrenOf(child.pid ?? 0).length,
    stop: async () => {
      await proxy.close();
      child.kill("SIGTERM");
      const jobs = (): { pid: number; command: string }[] =>
        processesOf(home).filter((p) => !p.command.startsWith("sshd"));
      const left = await until("nothing is left on the host", () => jobs().length === 0, 10).then(
        () => [],
        jobs,
      );
      if (left.length > 0) execFileSync("sh", ["-c", `kill -9 ${left.map((p) => p.pid).join(" ")} || :`]);
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
      if (left.length > 0) throw new Error(`Left behind: ${left.map((p) => p.command).join("; ")}`);
    },
  };
}

interface Login {
  readonly server: string;
  readonly client: string;
  readonly mounts: string;
  readonly prepare: (root: string, name: string) => void;
}

function loginSettings({ password, unknown }: { password?: string; unknown?: boolean }): Login {
  const checking = `StrictHostKeyChecking ${unknown === true ? "ask" : "yes"}`;
  if (password === undefined)
    return {
      server:
        "UsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password",
      client: `${checking}\n  IdentityAgent none`,
      mounts: "",
      prepare: () => undefined,
    };
  return {
    server: "UsePAM yes\nPasswordAuthentication no\nKbdInteractiveAuthentication yes\nPermitRootLogin yes",
    client: `${checking}\n  PreferredAuthentications keyboard-interactive`,
    mounts: ' mount --bind "$1/shadow" /etc/shadow && mount --bind "$1/pam" /etc/pam.d &&',
    prepare: (root, name) => giveAccount(root, name, password),
  };
}

/** A password, and a PAM configuration that asks for it and does nothing else. */
function giveAccount(root: string, name: string, password: string): void {
  const hash = execFileSync("perl", ["-e", 'print crypt(<STDIN>, "\\$6\\$evotrainer")'], {
    input: password,
    encoding: "utf8",
  });
  writeFileSync(join(root, "shadow"), `${name}:${hash}:19000:0:99999:7:::\n`, { mode: 0o600 });
  mkdirSync(join(root, "pam"));
  const rules = [
    "auth required pam_unix.so",
    "account required pam_permit.so",
    "session required pam_permit.so",
  ];
  writeFileSync(join(root, "pam/sshd"), `${rules.join("\n")}\n`);
}

function childrenOf(pid: number): number[] {
  return execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));
}

/** Below the ports of outgoing connections: one of those may be in use again before the server gets it. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
