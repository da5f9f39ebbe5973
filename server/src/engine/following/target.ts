import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { basename, isAbsolute, join, posix, relative, resolve, sep } from "node:path";
import { HostSpec } from "../../../../shared/spec/host.ts";
import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { safeName } from "../../evidence/importing/runNames.ts";
import { projectFile } from "../../project/project.ts";
import { HostShell } from "../../runner/ssh/hostShell.ts";
import type { SshRoute } from "../../runner/ssh/sshArguments.ts";
import { sshClient } from "../hosts/hostExecutor.ts";
import { knownHosts, ownHosts } from "../hosts/knownHosts.ts";
import { promptsFor } from "../hosts/whoAnswers.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import type { FollowedFolder } from "./followedFolder.ts";
import { HostCopy } from "./hostCopy.ts";
import { localFolder } from "./localFolder.ts";

/** What is followed. */
export interface Target {
  /** As it is shown: a path, or host:folder. */
  readonly shown: string;
  /** The name of the followed folder. */
  readonly name: string;
  /** Where the state of following it is kept, and its copy if it lies on a host. */
  readonly stateFolder: string;
  /** Whether it lies on a host, where each look costs that host something. */
  readonly isRemote: boolean;
  open(): FollowedFolder;
}

/**
 * Reads what the user wrote: a folder of this machine if there is one of that name, or else host:folder. The host may be one
 * of the project or of the user, or whatever ssh itself knows. @throws HarnessError notFound, badInput, projectInvalid
 */
export async function targetOf(root: string, cwd: string, given: string): Promise<Target> {
  const path = resolve(cwd, given);
  if (await exists(path)) {
    const real = await realpath(path);
    await refuseAround(root, real, given);
    return { ...placeOf(root, real, basename(real)), isRemote: false, open: () => localFolder(real) };
  }
  // One letter is a drive of Windows.
  const [, host, folder = ""] = /^((?:[^/\\:@]+@)?[^/\\:@]{2,}):(.*)$/s.exec(given) ?? [];
  if (host === undefined)
    throw new HarnessError(
      "notFound",
      `There is no folder ${given}; give the folder that the run writes into, or host:folder.`,
    );
  const from = folder === "" ? "." : folder;
  const name = basename(posix.normalize(from)).replace(/^[.~]+$/, "") || host;
  const route = await routeOf(root, host);
  const place = placeOf(root, `${host}:${from}`, name);
  const to = join(place.stateFolder, safeName(name));
  return { ...place, isRemote: true, open: () => new HostCopy(new HostShell(route), { from, to }) };
}

/** The archive must not come into the folder that is only read. @throws HarnessError badInput */
async function refuseAround(root: string, followed: string, given: string): Promise<void> {
  const inside = relative(followed, await realpath(root));
  if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return;
  throw new HarnessError(
    "badInput",
    `EvoTrainer writes nothing into the folder of a run, but its archive would be in ${given}; run the command in another folder.`,
  );
}

/** One folder for each target, whatever it is called. */
function placeOf(root: string, shown: string, name: string): Omit<Target, "open" | "isRemote"> {
  const hash = createHash("sha256").update(shown).digest("hex").slice(0, 8);
  return {
    shown,
    name,
    stateFolder: join(engineFolderOf(root), "attached", `${safeName(name).slice(0, 60)}-${hash}`),
  };
}

/** A host by its name in the project or in the user's own list, or else as ssh knows it. @throws HarnessError badInput, projectInvalid */
async function routeOf(root: string, given: string): Promise<SshRoute> {
  const isProject = await exists(join(root, projectFile));
  const { hosts } = isProject ? await knownHosts(root) : await ownHosts();
  const [ssh = "", user] = given.split("@").reverse();
  const spec = hosts.get(given)?.spec ?? asSshKnows(given, { ssh, ...(user === undefined ? {} : { user }) });
  return { name: given, spec, ...sshClient(), prompts: promptsFor(root) };
}

function asSshKnows(given: string, entry: object): HostSpec {
  const spec = HostSpec.safeParse(entry);
  if (spec.success) return spec.data;
  throw new HarnessError(
    "badInput",
    `${given} is no host: ${spec.error.issues[0]?.message ?? ""} Give host:folder with a host that ssh knows.`,
  );
}
