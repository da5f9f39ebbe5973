import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { isAbsolute, join, sep } from "node:path";
import { HostSpec } from "../../../../shared/spec/host.ts";
import type { SshRoute } from "./sshArguments.ts";

type Client = Pick<SshRoute, "program" | "config">;

/** What ssh makes of a name. */
export interface ResolvedHost {
  readonly user: string;
  readonly address: string;
  readonly port: number;
  readonly jump: string | null;
}

const mostFiles = 200;
const mostHosts = 1000;
/** As deep as ssh itself follows. */
const deepest = 16;

/** The configuration of ssh that is read: as ssh, from the home folder of the account, whatever HOME says. */
export const sshConfigFile = ({ config }: Client): string =>
  config ?? join(userInfo().homedir, ".ssh", "config");

/** Names of hosts in a configuration of ssh and in what it includes, in their order; patterns are none. */
export async function namedHosts(file: string): Promise<string[]> {
  const names = new Set<string>();
  let files = 0;
  const read = async (path: string, depth: number): Promise<void> => {
    if (depth > deepest || ++files > mostFiles) return;
    const text = await readFile(path, "utf8").catch(() => "");
    for (const line of text.split(/\r?\n/)) {
      const [, keyword = "", rest = ""] = /^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*)$/.exec(line) ?? [];
      const words = argumentsIn(rest);
      if (/^host$/i.test(keyword)) {
        for (const word of words)
          if (names.size < mostHosts && HostSpec.shape.ssh.safeParse(word).success) names.add(word);
      } else if (/^include$/i.test(keyword))
        for (const word of words)
          for (const included of await expand(includedPath(word))) await read(included, depth + 1);
    }
  };
  await read(file, 0);
  return [...names];
}

/** Words with their quotes taken off, up to a comment. */
function argumentsIn(text: string): string[] {
  const words: string[] = [];
  for (const [, quoted, plain] of text.matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    if (plain?.startsWith("#") === true) break;
    words.push(quoted ?? plain ?? "");
  }
  return words;
}

function includedPath(word: string): string {
  const home = userInfo().homedir;
  const path = word.replace(/\$\{(\w+)\}/g, (_, name: string) => process.env[name] ?? "");
  if (path.startsWith("~/")) return join(home, path.slice(2));
  return isAbsolute(path) ? path : join(home, ".ssh", path);
}

/** Files that a path with *, ? and [...] in its parts names, in their order. */
async function expand(pattern: string): Promise<string[]> {
  let found = [""];
  for (const [i, part] of pattern.split(sep).entries()) {
    if (!/[*?[]/.test(part)) {
      found = found.map((folder) => (i === 0 ? part : `${folder}${sep}${part}`));
      continue;
    }
    const fits = matcher(part);
    const next: string[] = [];
    for (const folder of found)
      for (const name of (await readdir(folder === "" ? sep : folder).catch(() => [])).sort())
        if (fits(name) && next.length < mostFiles) next.push(`${folder}${sep}${name}`);
    found = next;
  }
  return found;
}

function matcher(part: string): (name: string) => boolean {
  const source = part
    .replace(/[.+^${}()|\\]/g, "\\$&")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]")
    .replaceAll("[!", "[^");
  try {
    const expression = new RegExp(`^${source}$`);
    return (name) => expression.test(name) && (part.startsWith(".") || !name.startsWith("."));
  } catch {
    return () => false;
  }
}

const resolveMilliseconds = 5000;

/** Asks ssh what a name stands for; undefined when it does not know. Connects to nothing. */
export function resolveHost({ program, config }: Client, name: string): Promise<ResolvedHost | undefined> {
  const args = [...(config === undefined ? [] : ["-F", config]), "-G", "--", name];
  return new Promise((resolve) => {
    execFile(
      program ?? "ssh",
      args,
      { timeout: resolveMilliseconds, maxBuffer: 1024 ** 2, encoding: "utf8" },
      (error, printed) => resolve(error === null ? readResolved(printed) : undefined),
    );
  });
}

function readResolved(printed: string): ResolvedHost | undefined {
  const value = (key: string): string | undefined =>
    new RegExp(`^${key} (.*)$`, "m").exec(printed)?.[1]?.trim();
  const [user, address, port] = [value("user"), value("hostname"), Number(value("port"))];
  if (user === undefined || address === undefined || !Number.isInteger(port)) return undefined;
  const jump = value("proxyjump");
  return { user, address, port, jump: jump === undefined || jump === "none" ? null : jump };
}

/** The same for many, a few at a time. */
export async function resolveHosts(
  client: Client,
  names: readonly string[],
): Promise<ReadonlyMap<string, ResolvedHost | undefined>> {
  const found = new Map<string, ResolvedHost | undefined>();
  const left = [...names];
  const work = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift())
      found.set(name, await resolveHost(client, name));
  };
  await Promise.all([work(), work(), work(), work()]);
  return found;
}
