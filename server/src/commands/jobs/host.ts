import { inLine } from "../../base/plainText.ts";
import { hostCandidates, listHosts, writeHost, type NewHost } from "../../engine/hosts/addHost.ts";
import { findProjectRoot } from "../../engine/workspace/workspace.ts";
import { doctor } from "./doctor.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { table } from "../terminal/table.ts";
import { hostClean, type HostCleanFlags } from "./hostClean.ts";
import { positive } from "../terminal/options.ts";
import type { AddVerb } from "../terminal/verb.ts";

export const addHost: AddVerb = (program, { io, cwd, exitWith }) => {
  const hosts = program.command("host").description("the hosts that jobs can run on");
  hosts
    .command("list", { isDefault: true })
    .description("list the hosts in evotrainer.yaml and in your own file")
    .action(async () => hostList(io(), cwd));
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
    .action(async (name: string | undefined, o: HostAddFlags) => exitWith(await hostAdd(io(), cwd, name, o)));
  hosts
    .command("clean <name>")
    .description(
      "remove what the host no longer needs: checkouts, policies, and runs that are copied here byte for byte",
    )
    .option("--older-than <age>", "only what is older than this, e.g. 30d or 12h")
    .option("--dry-run", "only show what would be removed", false)
    .action(async (name: string, o: HostCleanFlags) => hostClean(io(), cwd, name, o));
};

const origins = { project: "evotrainer.yaml", settings: "settings", user: "own file" } as const;

/** `evotrainer host list`: hosts that jobs can run on, and where each is named. */
export async function hostList(io: Io, cwd: string): Promise<void> {
  const known = await listHosts(await findProjectRoot(cwd));
  for (const problem of known.problems) io.err(`${inLine(problem)}\n`);
  printResult(io, known.hosts, (hosts) =>
    hosts.length === 0
      ? "No hosts have been added; jobs run on this machine. `evotrainer host add` adds one from ~/.ssh/config."
      : table(
          [
            ["host", "target", "gpus", "named in"],
            ...hosts.map(({ name, target, gpus, from }) => [name, target, String(gpus), origins[from]]),
          ],
          [],
          io,
        ),
  );
}

/** What `evotrainer host add` is given. */
export interface HostAddFlags extends Omit<NewHost, "ssh"> {
  readonly ssh?: string;
  /** Into the user's own file instead of the project's. */
  readonly own: boolean;
  /** Whether the host is looked at afterwards. */
  readonly check: boolean;
}

/**
 * `evotrainer host add [name]`: writes a host down and looks at it; without a name it lists what ~/.ssh/config has. Answers with
 * the exit code.
 */
export async function hostAdd(
  io: Io,
  cwd: string,
  given: string | undefined,
  { own, check, ssh, ...host }: HostAddFlags,
): Promise<number> {
  const root = await findProjectRoot(cwd);
  const asked = ssh ?? given;
  if (asked === undefined) {
    const { config, hosts } = await hostCandidates(root);
    printResult(io, { config, hosts }, ({ config, hosts }) =>
      hosts.length === 0
        ? `${config} names no hosts; add one there, or run \`evotrainer host add <name> --ssh <address>\`.`
        : `${table(
            [
              ["host", "as ssh has it", ""],
              ...hosts.map(({ ssh: name, target, jump, known }) => [
                name,
                `${target ?? "unknown"}${jump === null ? "" : ` through ${jump}`}`,
                known === null ? "" : `is already ${known}`,
              ]),
            ],
            [],
            io,
          )}\nevotrainer host add <host> adds one.`,
    );
    return 0;
  }
  // One name is both, as far as it can be.
  const name = host.name ?? (ssh === undefined ? undefined : given);
  const added = await writeHost(own ? undefined : root, { ...host, name, ssh: asked });
  io.err(`${inLine(added.name)} is in ${inLine(added.path)}.\n`);
  return check ? doctor(io, cwd, added.name) : 0;
}
