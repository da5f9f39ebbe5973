import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, posix } from "node:path";
import { pipeline } from "node:stream/promises";
import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { shellWord } from "../keeper/payload.ts";
import type { HostShell } from "./hostShell.ts";
import type { HostPlace } from "./hostWork.ts";
import { download, upload } from "./transfer.ts";

/** More than this is not taken from a host. */
const policyLimitBytes = 256 * 1024 ** 3;

/** A name for the content of a file or folder: the same policy is sent to a host once. */
export async function contentKey(path: string): Promise<string> {
  const hash = createHash("sha256");
  const add = async (at: string, name: string): Promise<void> => {
    const entry = await stat(at);
    if (entry.isDirectory()) {
      hash.update(`folder ${JSON.stringify(name)}\n`);
      for (const child of (await readdir(at)).sort()) await add(join(at, child), `${name}/${child}`);
    } else {
      hash.update(`file ${JSON.stringify(name)} ${entry.size}\n`);
      await pipeline(createReadStream(at), hash, { end: false });
    }
  };
  await add(path, "");
  return hash.digest("hex").slice(0, 32);
}

/** Where a policy lies on the host once it was sent. */
export function policyThere(place: HostPlace, key: string): string {
  return posix.join(place.policies, key, "policy");
}

/** Sends a policy unless the host has it. @throws HarnessError hostUnreachable, hostRefused, jobFailed */
export async function sendPolicy(
  shell: HostShell,
  place: HostPlace,
  path: string,
  key: string,
): Promise<void> {
  const there = policyThere(place, key);
  const known = await shell.run(`[ -e ${shellWord(there)} ] && echo there`);
  if (/^there$/m.test(known.toString("utf8"))) return;
  const tar = spawn("tar", ["-C", dirname(path), "-chf", "-", "--", basename(path)], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const over = exitOf(tar);
  await upload(
    shell.route,
    `umask 077
f=${shellWord(posix.join(place.policies, key))}
t=$f.partial.$$
mkdir -p "$t/new" && tar -C "$t/new" -xf - || exit 1
set -- "$t/new"/*
mv "$1" "$t/policy" && rmdir "$t/new" || exit 1
mv "$t" "$f" 2>/dev/null || rm -rf "$t"
[ -e "$f/policy" ] && echo && echo received`,
    tar.stdout,
  );
  if ((await over) !== 0)
    throw new HarnessError(
      "jobFailed",
      `tar could not read the policy ${path}; tar is needed on this machine.`,
    );
}

/**
 * Brings the policy of a run back as `to`, whole or not at all; does nothing when the run left none. What is neither a
 * file nor a folder is refused, so that nothing here can point elsewhere.
 * @throws HarnessError hostUnreachable, hostRefused, jobFailed, diskFull
 */
export async function fetchPolicy(
  shell: HostShell,
  place: HostPlace,
  run: string,
  to: string,
): Promise<void> {
  if (await exists(to)) return;
  const folder = posix.join(place.runs, run);
  const there = await shell.run(`[ -e ${shellWord(posix.join(folder, "policy"))} ] && echo there`);
  if (!/^there$/m.test(there.toString("utf8"))) return;
  const staging = `${to}.partial`;
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true, mode: 0o700 });
  try {
    const tar = spawn("tar", ["-C", staging, "-xf", "-", "--no-same-owner"], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    tar.stdin.on("error", () => undefined);
    const over = exitOf(tar);
    await download(shell.route, `tar -C ${shellWord(folder)} -chf - policy`, policyLimitBytes, tar.stdin);
    if ((await over) !== 0)
      throw new HarnessError(
        "jobFailed",
        `tar could not unpack the policy of ${run}; tar is needed on this machine.`,
      );
    await assertPlain(join(staging, "policy"));
    await rename(join(staging, "policy"), to);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** The exit code of a program; null when a signal ended it, or when it could not be started. */
function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.on("error", () => resolve(null));
    child.on("close", resolve);
  });
}

async function assertPlain(path: string): Promise<void> {
  const entry = await lstat(path).catch(() => undefined);
  if (entry?.isFile() === true) return;
  if (entry?.isDirectory() !== true)
    throw new HarnessError(
      "jobFailed",
      `The host sent something as ${basename(path)} that is neither a file nor a folder.`,
    );
  for (const name of await readdir(path)) await assertPlain(join(path, name));
}
