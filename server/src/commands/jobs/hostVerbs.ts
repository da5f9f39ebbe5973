import type { Command } from "commander";
import type { HostAddFlags } from "./host.ts";
import type { HostCleanFlags } from "./hostClean.ts";
import type { Io } from "../terminal/io.ts";

/** Adds the verbs about hosts; the code of each is loaded when it is asked for. */
export function addHostVerbs(
  program: Command,
  {
    io,
    cwd,
    positive,
    exitWith,
  }: {
    readonly io: () => Io;
    readonly cwd: string;
    readonly positive: (text: string) => number;
    readonly exitWith: (code: number) => void;
  },
): void {
  program
    .command("doctor [host]")
    .description("check the hosts that jobs can run on: what is missing there, and how to fix it")
    .action(async (host: string | undefined) =>
      exitWith(await (await import("./doctor.ts")).doctor(io(), cwd, host)),
    );

  const hosts = program.command("host").description("the hosts that jobs can run on");
  hosts
    .command("list", { isDefault: true })
    .description("list the hosts in evotrainer.yaml and in your own file")
    .action(async () => (await import("./host.ts")).hostList(io(), cwd));
  hosts
    .command("add [name]")
    .description(
      "add a host from ~/.ssh/config to evotrainer.yaml and check it; without a name, list the hosts in ~/.ssh/config",
    )
    .option("--ssh <host>", "the host in ~/.ssh/config, or an address, if the entry has another name")
    .option("--user <user>", "user on the host, if ~/.ssh/config does not say")
    .option("--port <n>", "port on the host, if ~/.ssh/config does not say", positive)
    .option("--gpus <n>", "GPUs that each job gets for itself", positive)
    .option("--own", "add it to your own file instead, for all projects", false)
    .option("--no-check", "do not connect to it")
    .action(async (name: string | undefined, o: HostAddFlags) =>
      exitWith(await (await import("./host.ts")).hostAdd(io(), cwd, name, o)),
    );
  hosts
    .command("clean <name>")
    .description(
      "remove what the host no longer needs: checkouts, policies, and runs that are copied here byte for byte",
    )
    .option("--older-than <age>", "only what is older than this, e.g. 30d or 12h")
    .option("--dry-run", "only show what would be removed", false)
    .action(async (name: string, o: HostCleanFlags) =>
      (await import("./hostClean.ts")).hostClean(io(), cwd, name, o),
    );
}
