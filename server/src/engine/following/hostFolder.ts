import { HarnessError } from "../../base/errors.ts";
import { shellWord } from "../../base/shellWord.ts";
import type { HostShell } from "../../runner/ssh/hostShell.ts";
import { evidencePatterns, mayBeEvidence } from "./followedFolder.ts";

/** What a host says of one file. */
export interface HostFile {
  /** Relative to the folder, with forward slashes; checked to lie in it. */
  readonly path: string;
  /** Device and inode: another one is another file under the same name. */
  readonly id: string;
  readonly size: number;
  /** Changes whenever the file does. */
  readonly stamp: string;
  readonly quietFor: number;
}

/** Files of tools, as in an import. */
const skipped = [".git", ".evotrainer", "node_modules", "__pycache__", ".venv"];

const chunkBytes = 4 * 1024 ** 2;

/** Changes into the folder; a path that begins with ~/ or with no slash starts at the home folder, as for scp. */
const enter = (folder: string): string => {
  const path = folder.replace(/^~(?:\/+|$)/, "");
  return path === "" ? "cd" : `cd -- ${shellWord(path)}`;
};

/**
 * The files of a folder on a host that may be evidence. Runs cd, date, find and stat there, and nothing else.
 * @throws HarnessError notFound, hostUnreachable, hostRefused, cancelled
 */
export async function listThere(shell: HostShell, folder: string, signal: AbortSignal): Promise<HostFile[]> {
  const named = (names: readonly string[]): string =>
    `\\( ${names.map((name) => `-name ${shellWord(name)}`).join(" -o ")} \\)`;
  const reply = await shell.run(
    `exec 2>/dev/null
${enter(folder)} || { echo none; exit; }
date '+now %s'
find . ${named(skipped)} -prune -o -type f ${named(evidencePatterns)} -exec stat -c '%d:%i %s %Y %Z %n' {} +
echo end`,
    { signal },
  );
  const lines = reply.toString("utf8").split("\n").filter(Boolean);
  const name = shell.route.name;
  if (lines[0] === "none")
    throw new HarnessError(
      "notFound",
      `There is no folder ${folder} on ${name}, or you may not read it; give the path of the folder that the run writes into.`,
    );
  const now = Number(/^now (\d+)$/.exec(lines[0] ?? "")?.[1]);
  if (!Number.isFinite(now) || lines.at(-1) !== "end")
    throw new HarnessError(
      "hostUnreachable",
      `${name} did not list ${folder} to its end; check with \`ssh\` that \`find\` and \`stat\` work there.`,
    );
  return lines.slice(1, -1).flatMap((line) => fileOf(line, now) ?? []);
}

function fileOf(line: string, now: number): HostFile | undefined {
  const [, id = "", size = "", written = "", changed = "", path = ""] =
    /^(\d+:\d+) (\d+) (-?\d+) (-?\d+) \.\/(.+)$/.exec(line) ?? [];
  if (!isPlainPath(path) || !mayBeEvidence(path.slice(path.lastIndexOf("/") + 1))) return undefined;
  return {
    path,
    id,
    size: Number(size),
    stamp: `${id} ${size} ${written} ${changed}`,
    quietFor: Math.max(0, now - Number(written)),
  };
}

/**
 * Whether a path that a host named may be used here: it leads to no other folder, on any system, and has no character that
 * a terminal or a file system acts on.
 */
export function isPlainPath(path: string): boolean {
  const parts = path.split("/");
  return (
    path.length > 0 &&
    path.length <= 1000 &&
    parts.length <= 32 &&
    !/[\p{Cc}\p{Cf}\ufffd\\:*?"<>|]/u.test(path) &&
    parts.every((part) => part !== "" && part.length <= 255 && !/^\.{1,2}$|[. ]$/.test(part))
  );
}

/**
 * Bytes of a file from an offset on, at most four megabytes; fewer where it ends before, none where another file has taken
 * its name. @throws HarnessError hostUnreachable, hostRefused, cancelled
 */
export async function readThere(
  shell: HostShell,
  folder: string,
  { path, id }: Pick<HostFile, "path" | "id">,
  { from, bytes }: { readonly from: number; readonly bytes: number },
): Promise<Buffer> {
  const wanted = Math.min(bytes, chunkBytes);
  const there = shellWord(`./${path}`);
  const reply = await shell.run(
    // What a command complains about comes back with the answer, and must never become evidence.
    `exec 2>/dev/null
${enter(folder)} && [ -f ${there} ] && exec 3<${there} && [ "$(stat -L -c %d:%i /dev/fd/3)" = ${shellWord(id)} ] && tail -c +${from + 1} <&3 | head -c ${wanted}`,
  );
  return reply.length > wanted ? Buffer.alloc(0) : reply;
}
