import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { once } from "node:events";
import { dirname, join, posix } from "node:path";
import { pipeline } from "node:stream/promises";
import { HarnessError } from "../../base/errors.ts";
import { shellWord } from "../../base/shellWord.ts";
import type { Bandwidth } from "./bandwidth.ts";
import type { HostShell } from "./hostShell.ts";
import { LocalCopy, sizeOfCopy } from "./localCopy.ts";
import type { Room } from "./room.ts";
import { loginOver } from "./hostProcess.ts";
import { startScript } from "./transfer.ts";

/** How far something is that is on its way. */
export interface TransferProgress {
  readonly bytes: number;
  readonly total: number | null;
}

export interface FetchRequest {
  readonly shell: HostShell;
  readonly bandwidth: Bandwidth;
  readonly room: Room;
  /** A folder on the host, and patterns of what is wanted of it; * and ? stand for characters of a name. */
  readonly from: string;
  readonly patterns: readonly string[];
  /** A folder of this machine for nothing else. What is there from an earlier attempt is gone on from. */
  readonly to: string;
  readonly limitBytes: number;
  readonly onProgress?: (progress: TransferProgress) => void;
}

interface Entry {
  readonly name: string;
  /** Null for a folder. */
  readonly size: number | null;
}

/**
 * Brings files of a host here, each from where it was cut off, and holds them to their SHA-256. Names come from the host:
 * they stay below `to`, and nothing but files and folders is made. Nothing is taken through a link that leads out of `from`.
 * @throws HarnessError hostUnreachable, hostRefused, jobFailed, diskFull
 */
export async function fetchFiles(request: FetchRequest): Promise<readonly string[]> {
  const entries = await list(request);
  const files = entries.filter((e): e is Entry & { size: number } => e.size !== null);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (total > request.limitBytes)
    throw new HarnessError(
      "diskFull",
      `${request.from} on ${request.shell.route.name} has ${total} bytes to copy here, more than the limit of ${request.limitBytes}.`,
    );
  await mkdir(request.to, { recursive: true, mode: 0o700 });
  const folders = entries.map(({ name, size }) => (size === null ? name : posix.dirname(name)));
  for (const name of new Set(folders)) await mkdir(join(request.to, name), { recursive: true, mode: 0o700 });
  if (files.length > 0) await receive(request, files, total);
  return entries.map(({ name }) => name);
}

const quoted = (pattern: string): string => `./${pattern.replaceAll(/[^*?]+/g, shellWord)}`;

/**
 * Names links that lead out of the folder which is the first argument: a confined job can lay a link to what is hidden from it,
 * and would be given that with the policy of a later job.
 */
const strayLinks = `w=$1; shift
for f; do
[ ! -h "$f" ] || case $(readlink -f -- "$f")/ in "$w"/*) ;; *) printf 'leads %s\\n' "$f" ;; esac
done`;

async function list({ shell, from, patterns }: FetchRequest): Promise<Entry[]> {
  const reply = (
    await shell.run(`exec 2>/dev/null
cd ${shellWord(from)} || exit
for p in ${patterns.map(quoted).join(" ")}; do
[ -e "$p" ] || continue
find -L "$p" -type d -exec stat -L -c 'folder %s %n' {} +
find -L "$p" -type f -exec stat -L -c 'file %s %n' {} +
find -L "$p" ! -type f ! -type d -exec echo odd {} \\;
find -L "$p" -exec sh -c ${shellWord(strayLinks)} sh "$(pwd -P)" {} +
done
echo listed`)
  ).toString("utf8");
  if (!reply.endsWith("listed\n")) return [];
  const entries = new Map<string, Entry>();
  for (const line of reply.split("\n").slice(0, -2)) {
    const [, stray] = /^leads \.\/(.+)$/.exec(line) ?? [];
    if (stray !== undefined)
      throw new HarnessError(
        "jobFailed",
        `${JSON.stringify(stray.slice(0, 200))} in ${from} on ${shell.route.name} is a link that leads out of that folder, so it is not copied here; make the trainer save the file itself.`,
      );
    const [, kind, size, path = ""] = /^(file|folder) (\d{1,15}) \.\/(.+)$/.exec(line) ?? [];
    if (kind === undefined || !isPlainPath(path))
      throw new HarnessError(
        "jobFailed",
        `The host ${shell.route.name} has something in ${from} that cannot be copied here: ${JSON.stringify(line.slice(0, 200))}.`,
      );
    entries.set(path, { name: path, size: kind === "file" ? Number(size) : null });
  }
  return [...entries.values()];
}

/** A path that stays where it is put, on any system. */
function isPlainPath(path: string): boolean {
  if (/\p{Cc}/u.test(path) || path.length > 1000) return false;
  if (process.platform === "win32" && /[\\:*?"<>|]/.test(path)) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

async function receive(
  request: FetchRequest,
  files: readonly (Entry & { size: number })[],
  total: number,
): Promise<void> {
  const { shell, from, to, bandwidth, room } = request;
  const mark = `evo${randomBytes(16).toString("hex")}`;
  const sends: string[] = [];
  let bytes = 0;
  for (const { name, size } of files) {
    let here = await sizeOfCopy(join(to, name));
    if (here > size) {
      await rm(join(to, name));
      here = 0;
    }
    bytes += here;
    sends.push(`send ${shellWord(`./${name}`)} ${here}`);
  }
  await loginOver(shell.route);
  const { child, failure } = startScript(
    shell.route,
    `cd ${shellWord(from)} || exit
send() {
exec 4<"$1" || exit
n=$(($(stat -L -c %s /dev/fd/4) - $2))
printf 'file %s\\n' "$n"
tail -c +$(($2 + 1)) <&4 | head -c "$n"
printf 'hash %s\\n' "$(sha256sum <"$1" | cut -c1-64)"
}
printf '\\n%s\\n' ${mark}
${sends.join("\n")}`,
  );
  child.stdin.end();
  const over = once(child, "close").catch(() => undefined);
  const input = new Input(child.stdout);
  try {
    if (!(await input.skipPast(Buffer.from(`\n${mark}\n`)))) throw failure();
    for (const { name, size } of files) {
      const path = join(to, name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const copy = await LocalCopy.open(path);
      try {
        const [, rest] = /^file (\d{1,15})$/.exec((await input.line()) ?? "") ?? [];
        if (rest === undefined) throw failure();
        if (copy.size + Number(rest) !== size)
          throw new HarnessError(
            "jobFailed",
            `${name} changed on ${shell.route.name} while it was being copied here; check that its job is over.`,
          );
        await input.take(Number(rest), async (part) => {
          await room.take(part.length);
          await copy.append([part]);
          bytes += part.length;
          request.onProgress?.({ bytes, total });
          await bandwidth.spend(part.length);
        });
      } finally {
        await copy.close();
      }
      const [, hash] = /^hash ([0-9a-f]{64})$/.exec((await input.line()) ?? "") ?? [];
      if (hash === undefined) throw failure();
      if ((await hashOf(path)) !== hash) {
        await rm(path);
        throw new HarnessError(
          "hostUnreachable",
          `The copy of ${name} from ${shell.route.name} was not complete; it is copied again.`,
        );
      }
    }
  } catch (e) {
    if (e instanceof CutOff) {
      await over;
      throw failure();
    }
    throw e;
  } finally {
    child.kill("SIGKILL");
    // What is not read any more would keep it from closing.
    child.stdout.destroy();
    await over;
  }
}

/** SHA-256 of a file, in hexadecimal digits. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

class CutOff extends Error {}

/** A stream read by lines and by counts of bytes; nothing is read ahead of who takes it. */
class Input {
  readonly #chunks: AsyncIterator<unknown>;
  #held: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<unknown>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  async skipPast(mark: Buffer): Promise<boolean> {
    for (;;) {
      const at = this.#held.indexOf(mark);
      if (at >= 0) {
        this.#held = this.#held.subarray(at + mark.length);
        return true;
      }
      this.#held = this.#held.subarray(-mark.length);
      if (!(await this.#more())) return false;
    }
  }

  async line(): Promise<string | undefined> {
    for (;;) {
      const at = this.#held.indexOf(10);
      if (at >= 0) {
        const line = this.#held.toString("latin1", 0, at);
        this.#held = this.#held.subarray(at + 1);
        return line;
      }
      if (this.#held.length > 200 || !(await this.#more())) return undefined;
    }
  }

  async take(count: number, use: (part: Buffer) => Promise<void>): Promise<void> {
    for (let left = count; left > 0;) {
      if (this.#held.length === 0 && !(await this.#more())) throw new CutOff();
      const part = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(part.length);
      left -= part.length;
      await use(part);
    }
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next();
    const chunk: unknown = next.value;
    if (next.done === true || !Buffer.isBuffer(chunk)) return false;
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    return true;
  }
}
