import { once } from "node:events";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { HarnessError } from "../../base/errors.ts";
import { loginOver, spawnOnHost, type HostProcess } from "./hostProcess.ts";
import type { SshRoute } from "./sshArguments.ts";

/**
 * What the login shell sees: plain words and one single-quoted string without line breaks, which csh and fish read alike.
 * It takes the script from the first bytes of standard input and leaves the rest to it.
 */
const loader = `exec sh -c 'read -r n; eval "$(dd bs=1 count=$n 2>/dev/null)"'`;

export interface HostScript<Output extends Readable | null = Readable> {
  readonly child: HostProcess<Output>["child"];
  /** The error for its end, from what it said, or else from what it printed. */
  readonly failure: (printed?: string) => HarnessError;
}

/** Starts a script on the host; what is written to its standard input from then on is the script's. */
export function startScript(route: SshRoute, script: string): HostScript;
/** The same, with its output into a socket. */
export function startScript(
  route: SshRoute,
  script: string,
  output: Socket | undefined,
): HostScript<Readable | null>;
export function startScript(route: SshRoute, script: string, output?: Socket): HostScript<Readable | null> {
  const { child, failure } = spawnOnHost(route, loader, { isMaster: false }, output);
  let said = "";
  child.stderr.on("data", (d: Buffer) => (said = (said + d.toString("utf8")).slice(-4096)));
  child.stdin.on("error", () => undefined);
  child.on("error", (e) => (said += e.message));
  const body = Buffer.from(script);
  child.stdin.write(Buffer.concat([Buffer.from(`${body.length}\n`), body]));
  return { child, failure: (printed = "") => failure(said || printed) };
}

/**
 * Runs a script on the host with `content` as its standard input. The script has to print "received" at its end.
 * @throws HarnessError hostUnreachable, hostRefused
 */
export async function upload(route: SshRoute, script: string, content: Readable): Promise<void> {
  await loginOver(route);
  const { child, failure } = startScript(route, script);
  let printed = "";
  child.stdout.on("data", (d: Buffer) => (printed = (printed + d.toString("utf8")).slice(-4096)));
  const over = once(child, "close");
  await Promise.all([
    over,
    pipeline(content, child.stdin).catch(() => {
      child.stdin.destroy();
    }),
  ]);
  if (!/^received$/m.test(printed)) throw failure(printed);
}
