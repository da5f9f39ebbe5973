import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { Name } from "../../../../shared/spec/common.ts";
import { HostSpec } from "../../../../shared/spec/host.ts";
import { codeOf } from "../../base/errors.ts";
import { writeFileAtomic } from "../../base/files.ts";
import { parseYaml } from "../../base/yaml.ts";
import { loadProjectSpec } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";

/** Where a host is named: in evotrainer.yaml, in the settings of the editor, or in the user's own file. */
export type HostOrigin = "project" | "settings" | "user";

export interface KnownHost {
  readonly spec: HostSpec;
  readonly from: HostOrigin;
}

export interface KnownHosts {
  readonly hosts: ReadonlyMap<string, KnownHost>;
  /** What is wrong with entries outside the project, which are left out: a sentence each. */
  readonly problems: readonly string[];
}

const none: KnownHosts = { hosts: new Map(), problems: [] };
let ofEditor: KnownHosts = none;

/** What the setting `evotrainer.hosts` holds now, which may be anything. */
export function setEditorHosts(value: unknown): void {
  ofEditor =
    value === undefined || value === null
      ? none
      : readHosts(value, "settings", "the setting evotrainer.hosts");
}

/** The user's own file: EVOTRAINER_HOSTS, or evotrainer/hosts.yaml in the folder of configurations. */
export function userHostsFile(): string {
  const named = process.env["EVOTRAINER_HOSTS"] ?? "";
  if (named !== "") return named;
  const folder = process.env["XDG_CONFIG_HOME"] ?? "";
  return join(folder === "" ? join(homedir(), ".config") : folder, "evotrainer", "hosts.yaml");
}

/** All hosts: the project's go before those of the settings, and these before the user's own. @throws HarnessError projectMissing, projectInvalid */
export async function knownHosts(root: string): Promise<KnownHosts> {
  const { hosts } = await loadProjectSpec(workTree(root));
  const project = Object.entries(hosts).map(([name, spec]) => [name, { spec, from: "project" }] as const);
  const own = await ownHosts();
  return { hosts: new Map([...own.hosts, ...project]), problems: own.problems };
}

/** What a job of the project starts, wherever it runs. @throws HarnessError projectMissing, projectInvalid */
export const trainerCommand = async (root: string): Promise<readonly string[]> =>
  (await loadProjectSpec(workTree(root))).trainer.command;

/** Those that no project names. */
export async function ownHosts(): Promise<KnownHosts> {
  const user = await userHosts();
  return {
    hosts: new Map([...user.hosts, ...ofEditor.hosts]),
    problems: [...user.problems, ...ofEditor.problems],
  };
}

async function userHosts(): Promise<KnownHosts> {
  const file = userHostsFile();
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (e) {
    return codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR"
      ? none
      : { hosts: new Map(), problems: [`${file} cannot be read: ${String(codeOf(e))}.`] };
  }
  const document = parseYaml(text);
  const [error] = document.errors;
  if (error !== undefined)
    return {
      hosts: new Map(),
      problems: [`${file} is not valid YAML: ${error.message.split("\n")[0] ?? ""}`],
    };
  const parsed = z.strictObject({ hosts: z.unknown().optional() }).nullable().safeParse(plain(document));
  if (!parsed.success)
    return { hosts: new Map(), problems: [`${file} must contain \`hosts:\` and nothing else.`] };
  return readHosts(parsed.data?.hosts ?? {}, "user", file);
}

function plain(document: ReturnType<typeof parseYaml>): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}

/** Entries that are wrong are left out and told. */
function readHosts(value: unknown, from: HostOrigin, where: string): KnownHosts {
  const entries = z.record(z.string(), z.unknown()).safeParse(value);
  if (!entries.success) return { hosts: new Map(), problems: [`${where} must list hosts by name.`] };
  const hosts = new Map<string, KnownHost>();
  const problems: string[] = [];
  for (const [name, entry] of Object.entries(entries.data)) {
    const key = Name.safeParse(name);
    const spec = HostSpec.safeParse(entry ?? {});
    const issue = key.error?.issues[0] ?? spec.error?.issues[0];
    if (key.success && spec.success) hosts.set(key.data, { spec: spec.data, from });
    else
      problems.push(
        `${where}: ${[JSON.stringify(name), ...(issue?.path ?? [])].join(".")} is left out: ${issue?.message ?? ""}`,
      );
  }
  return { hosts, problems };
}

/**
 * The environment in which a process that is started from the editor knows the hosts of its settings as well: they are
 * written into a file that only the user can read.
 */
export async function hostsForChild(engineFolder: string): Promise<{ EVOTRAINER_HOSTS?: string }> {
  if (ofEditor.hosts.size === 0) return {};
  const { hosts } = await ownHosts();
  const file = join(engineFolder, "hosts.yaml");
  const specs = Object.fromEntries([...hosts].map(([name, { spec }]) => [name, spec]));
  await writeFileAtomic(file, `${JSON.stringify({ hosts: specs })}\n`, { mode: 0o600 });
  return { EVOTRAINER_HOSTS: file };
}
