import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Name } from "../../../../shared/spec/common.ts";
import { HostSpec } from "../../../../shared/spec/host.ts";
import { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { HostCandidates, HostEntry, HostList } from "../../../../shared/protocol/views/hosts.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { writeFileAtomic } from "../../base/files.ts";
import { addHost } from "../../project/addHost.ts";
import { describeProblems, projectFile } from "../../project/project.ts";
import { readSpec } from "../../project/readSpec.ts";
import { namedHosts, resolveHosts, sshConfigFile, type ResolvedHost } from "../../runner/ssh/sshConfig.ts";
import { sshClient } from "./hostExecutor.ts";
import { knownHosts, ownHosts, userHostsFile, type KnownHosts } from "./knownHosts.ts";

/** What is said of a new host; where `name` is left out it follows from `ssh`. */
export interface NewHost {
  readonly name?: string | undefined;
  /** Host in ~/.ssh/config, or an address. */
  readonly ssh: string;
  readonly user?: string | undefined;
  readonly port?: number | undefined;
  readonly gpus?: number | undefined;
}

/** Hosts that are named in the project, the settings of the editor and the user's file. @throws HarnessError projectInvalid */
export async function listHosts(root: string): Promise<HostList> {
  const { hosts, problems } = await knownHosts(root);
  return {
    hosts: [...hosts].map(([name, { spec, from }]) => ({
      name,
      from,
      target: spec.local ? "this machine" : targetOf(spec, name),
      gpus: spec.gpus,
      slurm: spec.slurm !== undefined,
    })),
    problems: [...problems],
  };
}

function targetOf({ ssh, user, port }: HostSpec, name: string): string {
  return `${user === undefined ? "" : `${user}@`}${ssh ?? name}${port === undefined ? "" : `:${port}`}`;
}

/** Resolving takes a process each. */
const mostResolved = 100;

/** Hosts that the configuration of ssh names, as ssh resolves them. Connects to nothing. */
export async function hostCandidates(root: string): Promise<HostCandidates> {
  const client = sshClient();
  const config = sshConfigFile(client);
  const names = await namedHosts(config);
  const { hosts } = await known(root);
  const knownAs = new Map([...hosts].map(([name, { spec }]) => [spec.ssh ?? name, name]));
  const resolved = await resolveHosts(client, names.slice(0, mostResolved));
  return {
    config,
    hosts: names.map((ssh) => {
      const found = resolved.get(ssh);
      return {
        ssh,
        target: found === undefined ? null : shown(found),
        jump: found?.jump ?? null,
        known: knownAs.get(ssh) ?? null,
      };
    }),
  };
}

const shown = ({ user, address, port }: ResolvedHost): string =>
  `${user}@${address.includes(":") ? `[${address}]` : address}:${port}`;

/** A project whose file has mistakes shall still get a host. */
async function known(root: string): Promise<KnownHosts> {
  try {
    return await knownHosts(root);
  } catch (e) {
    if (!HarnessError.is(e)) throw e;
    return ownHosts();
  }
}

/**
 * The entry of a new host and evotrainer.yaml with it; nothing is written. `given` is the text of the file where an editor has
 * another one than the disk. @throws HarnessError badInput, specInvalid, projectMissing
 */
export async function entryOf(root: string, host: NewHost, given?: string): Promise<HostEntry> {
  const { name, entry } = checked(host);
  const path = join(root, projectFile);
  const text = given ?? (await readFile(path, "utf8").catch(missing));
  const before = readSpec(projectFile, text, ProjectSpec);
  if (before.ok && Object.hasOwn(before.value.hosts, name)) return { name, entry, path, text: null };
  const edited = addHost(text, name, entry);
  const after = readSpec(projectFile, edited, ProjectSpec);
  if (before.ok && !after.ok)
    throw new HarnessError("badInput", `${name} cannot be added: ${describeProblems(after.problems)}`);
  return { name, entry, path, text: edited };
}

function missing(e: unknown): never {
  if (codeOf(e) === "ENOENT")
    throw new HarnessError("projectMissing", `There is no ${projectFile}; run \`evotrainer init\` first.`);
  throw e;
}

/** Writes a host into evotrainer.yaml, or into the user's own file. Gives its name and the file. @throws HarnessError badInput, specInvalid, projectMissing */
export async function writeHost(
  root: string | undefined,
  host: NewHost,
): Promise<{ readonly name: string; readonly path: string }> {
  if (root !== undefined) {
    const { name, path, text } = await entryOf(root, host);
    if (text === null) throw new HarnessError("badInput", `${projectFile} already has a host ${name}.`);
    await writeFileAtomic(path, text);
    return { name, path };
  }
  const { name, entry } = checked(host);
  const path = userHostsFile();
  const text = await readFile(path, "utf8").catch((e: unknown) => {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR") return "";
    throw e;
  });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFileAtomic(path, addHost(text, name, entry), { mode: 0o600 });
  return { name, path };
}

/** @throws HarnessError badInput */
function checked({ name: given, ssh, ...rest }: NewHost): {
  readonly name: string;
  readonly entry: { ssh?: string; user?: string; port?: number; gpus?: number };
} {
  const name = given ?? nameFor(ssh);
  const { user, port, gpus } = rest;
  const entry = {
    ...(ssh === name ? {} : { ssh }),
    ...(user === undefined ? {} : { user }),
    ...(port === undefined ? {} : { port }),
    ...(gpus === undefined ? {} : { gpus }),
  };
  const [issue] = [Name.safeParse(name), HostSpec.safeParse({ ...entry, ssh })].flatMap(
    (parsed) => parsed.error?.issues ?? [],
  );
  if (issue !== undefined)
    throw new HarnessError(
      "badInput",
      `The host ${JSON.stringify(name)} cannot be added: ${[issue.path.join("."), issue.message].filter(Boolean).join(": ")}`,
    );
  return { name, entry };
}

/** A name for an entry, from what ssh calls the host. */
function nameFor(ssh: string): string {
  return (
    ssh
      .toLowerCase()
      .replace(/[^a-z0-9_-]+/g, "-")
      .replace(/^[^a-z0-9]+|-+$/g, "")
      .slice(0, 64) || "host"
  );
}
