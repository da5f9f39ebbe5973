import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { HarnessError } from "../../base/errors.ts";
import { hostCommand, type SshRoute, type SshUse } from "./sshArguments.ts";
import { unreachable } from "./unreachable.ts";

/** A command on a host, and the ssh process that it goes through. */
export interface HostProcess<Output extends Readable | null = Readable> {
  readonly child: ChildProcessByStdio<Writable, Output, Readable>;
  /** Whether its user is asked something just now. */
  readonly isAsking: () => boolean;
  /** Milliseconds for which its user was asked. */
  readonly waited: () => number;
  /** The error for its end, from what it said. */
  readonly failure: (said: string) => HarnessError;
}

/** Starts a command on a host. What ssh asks meanwhile is passed on where the route says to whom. */
export function spawnOnHost(route: SshRoute, command: string, use?: SshUse): HostProcess;
/** The same, with its output into a socket. */
export function spawnOnHost(
  route: SshRoute,
  command: string,
  use: SshUse,
  output: Socket | undefined,
): HostProcess<Readable | null>;
export function spawnOnHost(
  route: SshRoute,
  command: string,
  use: SshUse = { isMaster: true },
  output?: Socket,
): HostProcess<Readable | null> {
  const ticket = route.spec.local
    ? undefined
    : route.prompts?.ticket(route.name, () => void child.kill("SIGKILL"));
  const { program, args } = hostCommand(route, command, { ...use, answers: ticket !== undefined });
  const options = ticket === undefined ? {} : { env: { ...process.env, ...ticket.environment } };
  const child: ChildProcessByStdio<Writable, Readable | null, Readable> =
    output === undefined
      ? spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], ...options })
      : spawn(program, args, { stdio: ["pipe", output, "pipe"], ...options });
  const over = (): void => ticket?.close();
  // Not when its output is closed: the helper that waits for an answer holds it open.
  child.once("error", over).once("exit", over);
  return {
    child,
    isAsking: () => ticket?.isAsking === true,
    waited: () => ticket?.waited ?? 0,
    failure: (said) =>
      unreachable(
        route.name,
        said,
        route.spec.local ? undefined : ticket === undefined ? "nobody" : ticket.unanswered,
      ),
  };
}

const logins = new WeakMap<SshRoute, Promise<void>>();

/** While this connection is made, others to the host wait: they can share it, and its user is asked only once. */
export function announceLogin(route: SshRoute, over: Promise<void>): void {
  logins.set(route, over);
}

/** Done when no connection is being made that others could share. */
export const loginOver = (route: SshRoute): Promise<void> => logins.get(route) ?? Promise.resolve();
