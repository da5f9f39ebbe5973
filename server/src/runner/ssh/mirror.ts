import { constants } from "node:fs";
import { open, readFile, rm, stat } from "node:fs/promises";
import { join, posix } from "node:path";
import { z } from "zod";
import { HarnessError } from "../../base/errors.ts";
import { writeFileAtomic } from "../../base/files.ts";
import { shellWord } from "../keeper/payload.ts";
import type { JobFile } from "../keeper/statusReport.ts";
import type { HostShell } from "./hostShell.ts";

const chunkBytes = 4 * 1024 ** 2;
/** The only names that are ever written here; the host chooses none. */
const mirrored = [
  "rollouts.jsonl",
  "metrics.jsonl",
  "gpu.jsonl",
  "stdout.log",
  "stderr.log",
  "stdout.log.1",
  "stderr.log.1",
  "ray.log",
];

/** Windows knows no such flag. */
const noFollow = process.platform === "win32" ? 0 : constants.O_NOFOLLOW;
const Origins = z.record(z.string(), z.string());

export interface MirrorOptions {
  readonly shell: HostShell;
  /** The job's folder on the host, and its copy here. */
  readonly from: string;
  readonly to: string;
  /** What all mirrored files together may hold here. */
  readonly limitBytes: number;
}

/**
 * A copy of a job's evidence and logs that grows as they do. The length of each copy is the offset to go on from, so
 * nothing is lost or doubled wherever either side is cut off; `origins.json` says of which inode it is a copy.
 */
export class Mirror {
  readonly #options: MirrorOptions;
  #origins: Record<string, string> | undefined;

  constructor(options: MirrorOptions) {
    this.#options = options;
  }

  /** Copies up to what `files` says; gives whether that much is here now. @throws HarnessError diskFull, hostUnreachable */
  async pull(files: ReadonlyMap<string, JobFile>): Promise<boolean> {
    let isWhole = true;
    for (const name of mirrored) {
      const file = files.get(name);
      if (file !== undefined && !(await this.#pullFile(name, file))) isWhole = false;
    }
    return isWhole;
  }

  async #pullFile(name: string, file: JobFile): Promise<boolean> {
    const path = join(this.#options.to, name);
    let size = await sizeOf(path);
    const origins = await this.#readOrigins();
    if ((origins[name] !== undefined && origins[name] !== file.id) || size > file.size) {
      // Another file has taken the name, or it was emptied: the copy starts anew, too.
      await rm(path, { force: true });
      size = 0;
    }
    if (size >= file.size) return true;
    if (origins[name] !== file.id) await this.#writeOrigins({ ...origins, [name]: file.id });
    while (size < file.size) {
      const wanted = Math.min(chunkBytes, file.size - size);
      if ((await this.#total()) + wanted > this.#options.limitBytes)
        throw new HarnessError(
          "diskFull",
          `The files of ${this.#options.from} on ${this.#options.shell.route.name} are larger than the limit of ${this.#options.limitBytes} bytes.`,
        );
      const there = shellWord(posix.join(this.#options.from, name));
      const bytes = await this.#options.shell.run(
        // What a command complains about comes back with the answer, and must never become evidence.
        `exec 2>/dev/null
[ -f ${there} ] && exec 3<${there} && [ "$(stat -L -c %d:%i:%W /dev/fd/3)" = ${shellWord(file.id)} ] && tail -c +${size + 1} <&3 | head -c ${wanted}`,
      );
      // Rotated meanwhile: the next status tells.
      if (bytes.length === 0 || bytes.length > wanted) return false;
      const copy = await open(
        path,
        constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | noFollow,
        0o600,
      );
      try {
        await copy.appendFile(bytes);
      } finally {
        await copy.close();
      }
      size += bytes.length;
    }
    return true;
  }

  async #total(): Promise<number> {
    let total = 0;
    for (const name of mirrored) total += await sizeOf(join(this.#options.to, name));
    return total;
  }

  async #readOrigins(): Promise<Record<string, string>> {
    this.#origins ??= await readFile(this.#path(), "utf8").then(
      (text) => Origins.parse(JSON.parse(text)),
      () => ({}),
    );
    return this.#origins;
  }

  async #writeOrigins(origins: Record<string, string>): Promise<void> {
    await writeFileAtomic(this.#path(), JSON.stringify(origins));
    this.#origins = origins;
  }

  #path(): string {
    return join(this.#options.to, "origins.json");
  }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
