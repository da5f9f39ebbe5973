import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { gigabytes } from "../../../../shared/words/numbers.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { ownerOf } from "../job/runPlace.ts";

/** How long a sum is believed when it leaves no room: files may have been removed meanwhile. */
const checkedMilliseconds = 10_000;

/** There is no room here for what a job wrote. It runs on, and the rest is taken once there is. */
export class NoRoom extends HarnessError {
  constructor(message: string, options?: { cause?: unknown }) {
    super("diskFull", message, options);
  }
}

/** What the copies of a host's runs may hold here, all together. */
export class Room {
  readonly #limit: number;
  readonly #runs: string;
  readonly #host: string;
  #used: number | undefined;
  #checkedAt = 0;

  /** `gigabytes` undefined: as much as the disk holds. */
  constructor(options: { host: string; runsDirectory: string; gigabytes: number | undefined }) {
    this.#limit = options.gigabytes === undefined ? Number.POSITIVE_INFINITY : options.gigabytes * 1e9;
    this.#runs = options.runsDirectory;
    this.#host = options.host;
  }

  /** Counts bytes that are about to be written. @throws NoRoom */
  async take(bytes: number): Promise<void> {
    if (!Number.isFinite(this.#limit)) return;
    const now = performance.now();
    if (
      this.#used === undefined ||
      (this.#used + bytes > this.#limit && now - this.#checkedAt > checkedMilliseconds)
    ) {
      this.#used = await this.#measure();
      this.#checkedAt = now;
    }
    if (this.#used + bytes > this.#limit)
      throw new NoRoom(
        `The copies of ${this.#host}'s runs in ${this.#runs} take up ${gigabytes(this.#used)} of the ${gigabytes(this.#limit)} that hosts.${this.#host}.artefacts.quota allows; remove some, e.g. with \`evotrainer archive forget --run <run> --delete-files\`, or raise the quota.`,
      );
    this.#used += bytes;
  }

  /** Says that something was removed. */
  forget(): void {
    this.#used = undefined;
  }

  async #measure(): Promise<number> {
    let total = 0;
    for (const run of await entriesOf(this.#runs))
      if (await isOf(this.#host, join(this.#runs, run))) total += await bytesIn(join(this.#runs, run));
    return total;
  }
}

async function isOf(host: string, run: string): Promise<boolean> {
  return (await ownerOf(run).catch(() => undefined)) === host;
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (e) {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "ENOTDIR") return [];
    throw e;
  }
}

/** Bytes of all files below a path; links are not followed. */
async function bytesIn(path: string): Promise<number> {
  const entry = await lstat(path).catch(() => undefined);
  if (entry === undefined) return 0;
  if (!entry.isDirectory()) return entry.size;
  let total = 0;
  for (const name of await entriesOf(path)) total += await bytesIn(join(path, name));
  return total;
}
