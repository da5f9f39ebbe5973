import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Bandwidth } from "../../server/src/runner/ssh/bandwidth.ts";
import { FollowSlots } from "../../server/src/runner/ssh/followSlots.ts";
import { HostShell } from "../../server/src/runner/ssh/hostShell.ts";
import { Mirror } from "../../server/src/runner/ssh/mirror.ts";
import { Room } from "../../server/src/runner/ssh/room.ts";
import { hostCommand, type SshRoute } from "../../server/src/runner/ssh/sshArguments.ts";
import { startTestHost, type TestHost } from "../../test/support/ssh/host.ts";

/** A private SSH server with our connection to it, without a proxy in between unless one is asked for. */
export interface BenchHost {
  readonly host: TestHost;
  readonly route: SshRoute;
  readonly shell: HostShell;
  /** A folder on this machine; its name says for what. */
  folder(name: string): string;
  /** Runs a command over the open connection, in a session of its own. */
  exec(command: string, stdout: "ignore" | number, over?: SshRoute): Promise<void>;
  /** Mirrors a folder of the host. */
  mirror(from: string, to: string): Mirror;
  stop(): Promise<void>;
}

export async function startBenchHost({ proxy }: { proxy: boolean }): Promise<BenchHost> {
  const host = await startTestHost();
  const route = host.route(proxy ? {} : { port: host.port });
  const shell = new HostShell(route);
  await shell.run("true");
  return {
    host,
    route,
    shell,
    folder: (name) => realpathSync(mkdtempSync(join(tmpdir(), `evo bench ${name} `))),
    exec: async (command, stdout, over = route) => {
      const { program, args } = hostCommand(over, command, { isMaster: false });
      const child = spawn(program, args, { stdio: ["ignore", stdout, "inherit"] });
      const [code] = (await once(child, "close")) as [number | null];
      if (code !== 0) throw new Error(`${command} ended with ${code ?? "a signal"}.`);
    },
    mirror: (from, to) =>
      new Mirror({
        shell,
        route,
        from,
        to,
        limitBytes: 1e12,
        compress: "none",
        slots: new FollowSlots(),
        bandwidth: new Bandwidth(undefined),
        room: new Room({ host: "testhost", runsDirectory: to, gigabytes: undefined }),
      }),
    stop: async () => {
      shell.close();
      await host.stop();
    },
  };
}

/** Milliseconds that something took. */
export async function timed(what: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await what();
  return performance.now() - start;
}
