import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, posix } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import type { PathsThere, RunNeeds } from "../job/executor.ts";
import { shellWord } from "../../base/shellWord.ts";
import type { TrainerData } from "../job/trainerData.ts";
import type { Bandwidth } from "./bandwidth.ts";
import { fetchFiles, type TransferProgress } from "./fetchFiles.ts";
import type { HostShell } from "./hostShell.ts";
import type { HostPlace } from "./hostWork.ts";
import type { Room } from "./room.ts";
import { hasRsync, rsyncTo } from "./rsync.ts";
import { upload } from "./transfer.ts";

/** More than this is not taken from a host. */
const policyLimitBytes = 256 * 1024 ** 3;

/** Keys by what was looked at: content of the same size and times has not been read again. */
const keys = new Map<string, Promise<string>>();

/** A name for the content of a file or folder: the same policy or data is sent to a host once. */
export async function contentKey(path: string): Promise<string> {
  const looks = await looksOf(path);
  let key = keys.get(looks);
  if (key === undefined) {
    key = readKey(path);
    keys.set(looks, key);
    key.catch(() => keys.delete(looks));
  }
  return key;
}

/** Paths, sizes and times of all that is there. */
async function looksOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  const add = async (at: string): Promise<void> => {
    const entry = await stat(at, { bigint: true });
    hash.update(
      `${JSON.stringify(at)} ${entry.dev} ${entry.ino} ${entry.size} ${entry.mtimeNs} ${entry.ctimeNs}\n`,
    );
    if (entry.isDirectory()) for (const child of (await readdir(at)).sort()) await add(join(at, child));
  };
  await add(path);
  return hash.digest("hex");
}

async function readKey(path: string): Promise<string> {
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

/** Where something lies on the host once it was sent; policies came first, and data lies among them. */
function contentThere(place: HostPlace, key: string): string {
  return posix.join(place.policies, key, "policy");
}

/** What a transfer goes by. */
export interface TransferMeans {
  readonly shell: HostShell;
  readonly bandwidth: Bandwidth;
  readonly room: Room;
  readonly onProgress?: (progress: TransferProgress) => void;
}

/**
 * Sends a file or folder unless the host has it: with rsync where both sides have it, else with tar. Either goes on where
 * it was cut off.
 * @throws HarnessError hostUnreachable, hostRefused, jobFailed, diskFull
 */
export async function sendContent(
  means: TransferMeans,
  place: HostPlace,
  path: string,
  key: string,
): Promise<void> {
  const { shell } = means;
  const there = contentThere(place, key);
  const folder = posix.join(place.policies, key);
  const partial = `${folder}.partial`;
  const known = await shell.run(
    `[ -e ${shellWord(there)} ] && echo there || { command -v rsync >/dev/null && mkdir -p ${shellWord(partial)} && echo rsync; }`,
  );
  if (/^there$/m.test(known.toString("utf8"))) return;
  if (/^rsync$/m.test(known.toString("utf8")) && !shell.route.spec.local && (await hasRsync())) {
    if (await rsyncTo(shell.route, path, posix.join(partial, "policy"), means)) {
      const moved = await shell.run(
        `mv ${shellWord(partial)} ${shellWord(folder)} 2>/dev/null || rm -rf ${shellWord(partial)}
[ -e ${shellWord(there)} ] && echo received`,
      );
      if (/^received$/m.test(moved.toString("utf8"))) return;
    } else await shell.run(`rm -rf ${shellWord(posix.join(partial, "policy"))}`);
  }
  await sendByTar(means, path, folder);
}

/** What follows the archive: a line with its SHA-256. */
const trailerBytes = 65;

/**
 * One stream of tar, kept on the host until it is whole: the same files make the same stream, so a later attempt sends the
 * rest of it. What does not come to the SHA-256 behind it is thrown away there.
 */
async function sendByTar(means: TransferMeans, path: string, folder: string): Promise<void> {
  const partial = `${folder}.partial`;
  const archive = shellWord(`${partial}/${(await looksOf(path)).slice(0, 16)}.tar`);
  const asked = await means.shell.run(`stat -c 'has %s' ${archive} 2>/dev/null`);
  const has = Number(/^has (\d{1,15})$/m.exec(asked.toString("utf8"))?.[1] ?? 0);
  const tar = spawn("tar", ["-C", dirname(path), "-chf", "-", "--", basename(path)], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const over = exitOf(tar);
  try {
    await upload(
      means.shell.route,
      `umask 077
f=${shellWord(folder)}
t=${shellWord(partial)}
a=${archive}
mkdir -p "$t" || exit 1
size() { stat -c %s "$a" 2>/dev/null || echo 0; }
# Another engine may send the same, or an earlier attempt hang behind a link that is gone.
exec 9>>"$t/lock"
until flock -n 9; do
s=$(size)
sleep 3
[ "$(size)" != "$s" ] || kill -9 -"$(cat "$t/pid")" 2>/dev/null
done
echo $$ >"$t/pid"
if [ ! -e "$f/policy" ]; then
[ "$(size)" = ${has} ] && cat >>"$a" || exit 1
n=$(($(size) - ${trailerBytes}))
[ $n -gt 0 ] || exit 1
s=$(tail -c ${trailerBytes} "$a" | tr -dc 0-9a-f)
[ \${#s} -eq 64 ] || exit 1
[ "$(head -c $n "$a" | sha256sum | cut -c1-64)" = "$s" ] || {
rm -f "$a"
exit 1
}
rm -rf "$t/new"
mkdir "$t/new" && head -c $n "$a" | tar -C "$t/new" -xf - || exit 1
set -- "$t/new"/*
mv "$1" "$t/policy" && rm -rf "$t/new" "$a" "$t/lock" "$t/pid" && mv "$t" "$f" || exit 1
fi
[ -e "$f/policy" ] && echo && echo received`,
      tar.stdout.pipe(restOf(has, means.onProgress)).pipe(means.bandwidth.throttle()),
    );
  } catch (e) {
    tar.kill("SIGKILL");
    throw e;
  }
  if ((await over) !== 0)
    throw new HarnessError("jobFailed", `tar could not read ${path}; tar is needed on this machine.`);
}

/** What follows the first bytes of a stream, and the trailer. */
function restOf(skipped: number, onProgress: TransferMeans["onProgress"]): Transform {
  const hash = createHash("sha256");
  let bytes = 0;
  let left = skipped;
  const rest = (chunk: Buffer): Buffer => {
    const cut = Math.min(left, chunk.length);
    left -= cut;
    return chunk.subarray(cut);
  };
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      onProgress?.({ bytes: (bytes += chunk.length), total: null });
      const part = rest(chunk);
      if (part.length === 0) done();
      else done(null, part);
    },
    flush: (done) => done(null, rest(Buffer.from(`${hash.digest("hex")}\n`))),
  });
}

/**
 * Brings the policy of a run back as `to`, whole or not at all; does nothing when the run left none. What is neither a
 * file nor a folder is refused, so that nothing here can point elsewhere.
 * @throws HarnessError hostUnreachable, hostRefused, jobFailed, diskFull
 */
export async function fetchPolicy(
  means: TransferMeans,
  place: HostPlace,
  run: string,
  to: string,
): Promise<void> {
  if (await exists(to)) return;
  const staging = `${to}.partial`;
  const found = await fetchFiles({
    ...means,
    from: posix.join(place.runs, run),
    patterns: ["policy"],
    to: staging,
    limitBytes: policyLimitBytes,
  });
  if (found.length === 0) return;
  await rename(join(staging, "policy"), to);
  await rm(staging, { recursive: true, force: true });
}

/** The exit code of a program; null when a signal ended it, or when it could not be started. */
function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.on("error", () => resolve(null));
    child.on("close", resolve);
  });
}

/** Where what a run needs lies on the host once it was sent. */
export async function needsThere(
  place: HostPlace,
  { policyIn, data }: RunNeeds,
): Promise<Pick<PathsThere, "policyIn" | "data">> {
  const there = async (at: string): Promise<string> => contentThere(place, await contentKey(at));
  const links: TrainerData[] = [];
  for (const { path, at } of data) links.push({ path, at: await there(at) });
  return { policyIn: policyIn === undefined ? undefined : await there(policyIn), data: links };
}
