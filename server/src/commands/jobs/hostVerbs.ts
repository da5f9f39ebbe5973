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
    .description("say what the hosts that jobs can run on have and lack, and how to mend it")
    .action(async (host: string | undefined) =>
      exitWith(await (await import("./doctor.ts")).doctor(io(), cwd, host)),
    );

  const hosts = program.command("host").description("the hosts that jobs can run on");
  hosts
    .command("list", { isDefault: true })
    .description("those of evotrainer.yaml and of your own")
    .action(async () => (await import("./host.ts")).hostList(io(), cwd));
  hosts
    .command("add [name]")
    .description(
      "write a host of ~/.ssh/config into evotrainer.yaml and look at it; without a name list them",
    )
    .option("--ssh <host>", "the host in ~/.ssh/config, or an address, where the entry has another name")
    .option("--user <user>", "user there, when ~/.ssh/config does not say")
    .option("--port <n>", "port there, likewise", positive)
    .option("--gpus <n>", "GPUs that each job gets for itself", positive)
    .option("--own", "into your own file instead, for all projects", false)
    .option("--no-check", "do not connect to it")
    .action(async (name: string | undefined, o: HostAddFlags) =>
      exitWith(await (await import("./host.ts")).hostAdd(io(), cwd, name, o)),
    );
  hosts
    .command("clean <name>")
    .description(
      "remove what is not needed there any more: runs that are here byte for byte, checkouts, policies",
    )
    .option("--older-than <age>", "only what is older, e.g. 30d or 12h")
    .option("--dry-run", "say what would go", false)
    .action(async (name: string, o: HostCleanFlags) =>
      (await import("./hostClean.ts")).hostClean(io(), cwd, name, o),
    );
}
