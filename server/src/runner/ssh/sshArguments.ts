import { createHash } from "node:crypto";
import { join } from "node:path";
import type { HostSpec } from "../../../../shared/spec/host.ts";
import { ownFolder } from "./ownFolder.ts";
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
 * The program and its arguments that have a shell of the host carry out one command. Where somebody `answers`, ssh may ask;
 * otherwise it fails instead of asking.
 */
export function hostCommand(
  route: SshRoute,
  command: string,
  answers = false,
): { program: string; args: string[] } {
  return route.spec.local
    ? { program: "sh", args: ["-c", command] }
    : { program: route.program ?? "ssh", args: sshArguments(route, command, answers) };
}

/**
 * Arguments of the user's own ssh client for one command. Host and user come from a schema that allows no leading dash,
 * and stand after options that say what they are.
 */
export function sshArguments(route: SshRoute, command: string, answers = false): string[] {
  const { spec, name } = route;
  const options = {
    ...(answers ? {} : { BatchMode: "yes" }),
    ServerAliveInterval: String(route.aliveSeconds ?? 5),
    ServerAliveCountMax: "3",
    ConnectTimeout: "15",
    // What the user's configuration may hold for terminals breaks commands, or works only once at a time.
    ClearAllForwardings: "yes",
    RemoteCommand: "none",
    PermitLocalCommand: "no",
    ...multiplexing(route),
  };
  return [
    ...(route.config === undefined ? [] : ["-F", route.config]),
    "-T",
    ...Object.entries(options).flatMap(([key, value]) => ["-o", `${key}=${value}`]),
    ...(spec.user === undefined ? [] : ["-l", spec.user]),
    ...(spec.port === undefined ? [] : ["-p", String(spec.port)]),
    "--",
    spec.ssh ?? name,
    command,
  ];
}

/** Our own control path, never the user's. Windows has no multiplexing, and a path from the user's file breaks it. */
function multiplexing(route: SshRoute): Record<string, string> {
  const folder = ownFolder();
  if (folder === undefined) return { ControlMaster: "no", ControlPath: "none" };
  // Each engine has its own.
  const key = createHash("sha256")
    .update(JSON.stringify([process.pid, route.program, route.name, route.spec]))
    .digest("hex");
  return { ControlMaster: "auto", ControlPersist: "no", ControlPath: join(folder, key.slice(0, 16)) };
}
