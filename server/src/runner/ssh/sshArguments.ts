import { createHash } from "node:crypto";
import { join } from "node:path";
import type { HostSpec } from "../../../../shared/spec/host.ts";
import { ownFolder } from "./prompts/ownFolder.ts";
import type { PromptDesk } from "./prompts/promptDesk.ts";

/** How a host is reached. */
export interface SshRoute {
  /** Name in evotrainer.yaml. */
  readonly name: string;
  readonly spec: HostSpec;
  /** The ssh client; `ssh` by default. */
  readonly program?: string;
  /** Seconds between two signs of life, three of which may be missing; 5 by default. */
  readonly aliveSeconds?: number;
  /** Who answers what ssh asks; nobody where it is left out. */
  readonly prompts?: PromptDesk;
  /** Another configuration file of the ssh client than the user's. */
  readonly config?: string;
}

/**
 * `isMaster`: others may share the connection; it then lives until the last of them has ended. `answers`: somebody answers what
 * ssh asks; otherwise it fails instead of asking.
 */
export interface SshUse {
  readonly isMaster: boolean;
  readonly answers?: boolean;
}

/** The program and its arguments that have a shell of the host carry out one command. */
export function hostCommand(
  route: SshRoute,
  command: string,
  use: SshUse = { isMaster: true },
): { program: string; args: string[] } {
  return route.spec.local
    ? { program: "sh", args: ["-c", command] }
    : { program: route.program ?? "ssh", args: sshArguments(route, command, use) };
}

/**
 * Arguments of the user's own ssh client for one command. Host and user come from a schema that allows no leading dash,
 * and stand after options that say what they are.
 */
export function sshArguments(route: SshRoute, command: string, use: SshUse = { isMaster: true }): string[] {
  return ["-T", ...destination(route, use), command];
}

/** The program and its arguments whose standard input and output are a connection of the host to `address`, host:port. */
export function forwardArguments(route: SshRoute, address: string): { program: string; args: string[] } {
  return {
    program: route.program ?? "ssh",
    args: ["-T", "-W", address, ...destination(route, { isMaster: false })],
  };
}

function destination(route: SshRoute, use: SshUse): string[] {
  const { spec, name } = route;
  const options = {
    ...(use.answers === true ? {} : { BatchMode: "yes" }),
    ServerAliveInterval: String(route.aliveSeconds ?? 5),
    ServerAliveCountMax: "3",
    ConnectTimeout: "15",
    // What the user's configuration may hold for terminals breaks commands, or works only once at a time.
    ClearAllForwardings: "yes",
    RemoteCommand: "none",
    PermitLocalCommand: "no",
    ...multiplexing(route, use),
  };
  return [
    ...(route.config === undefined ? [] : ["-F", route.config]),
    ...Object.entries(options).flatMap(([key, value]) => ["-o", `${key}=${value}`]),
    ...(spec.user === undefined ? [] : ["-l", spec.user]),
    ...(spec.port === undefined ? [] : ["-p", String(spec.port)]),
    "--",
    spec.ssh ?? name,
  ];
}

/** Our own control path, never the user's. Windows has no multiplexing, and a path from the user's file breaks it. */
function multiplexing(route: SshRoute, { isMaster }: SshUse): Record<string, string> {
  const folder = ownFolder();
  if (folder === undefined) return { ControlMaster: "no", ControlPath: "none" };
  // Each engine has its own.
  const key = createHash("sha256")
    .update(JSON.stringify([process.pid, route.program, route.name, route.spec]))
    .digest("hex");
  return {
    ControlMaster: isMaster ? "auto" : "no",
    ControlPersist: "no",
    ControlPath: join(folder, key.slice(0, 16)),
  };
}
