import { readFile, rm } from "node:fs/promises";
import { join, posix } from "node:path";
import { z } from "zod";
import { HarnessError } from "../../base/errors.ts";
import { writeFileAtomic } from "../../base/files.ts";
import { shellWord } from "../../base/shellWord.ts";
import type { JobFile } from "../keeper/statusReport.ts";
import { FollowedFile, type FollowMeans } from "./followedFile.ts";
import type { HostShell } from "./hostShell.ts";
import { LocalCopy, sizeOfCopy } from "./localCopy.ts";
import { NoRoom } from "./room.ts";

const chunkBytes = 4 * 1024 ** 2;
/** Of a job that is over, more than this is worth a process of its own. */
const worthFollowing = 8 * 1024 ** 2;
/** The only names that are ever written here; the host chooses none. Logs that were cut come before their new starts. */
const mirrored = [
  "rollouts.jsonl",
  "metrics.jsonl",
  "gpu.jsonl",
  "stdout.log.1",
  "stderr.log.1",
  "stdout.log",
  "stderr.log",
  "ray.log",
];

/** How long to wait before looking whether there is room again. */
const roomMilliseconds = 5000;

/** How long nothing is followed after a login was refused. */
const refusedMilliseconds = 60_000;

const Origins = z.record(z.string(), z.string());

export interface MirrorOptions extends FollowMeans {
  readonly shell: HostShell;
  /** The job's folder on the host, and its copy here. */
  readonly from: string;
  readonly to: string;
  /** What all mirrored files together may hold here. */
  readonly limitBytes: number;
}

/** What a status says of a job's files. */
export interface Told {
  readonly files: ReadonlyMap<string, JobFile>;
  /** `sizes()` of the mirror from before the status was asked for. */
  readonly before: ReadonlyMap<string, number>;
  /** Nothing is written any more. */
  readonly isOver: boolean;
}

/**
 * A copy of a job's evidence and logs that grows as they do. The length of each copy is the offset to go on from, so
 * nothing is lost or doubled wherever either side is cut off; `origins.json` says of which inode it is a copy. What grows is
 * followed by processes of their own, as many as a host bears; the rest, and what they leave, is copied when its status is
 * there.
 */
export class Mirror {
  readonly #options: MirrorOptions;
  readonly #followed = new Map<string, FollowedFile>();
  #sizes = new Map<string, number>();
  #origins: Record<string, string> | undefined;
  #pulling: Promise<unknown> = Promise.resolve();
  #refusedUntil = 0;
  #failure: { error: unknown; until: number } | undefined;

  constructor(options: MirrorOptions) {
    this.#options = options;
  }

  /** Bytes of each copy. */
  async sizes(): Promise<ReadonlyMap<string, number>> {
    const sizes = new Map<string, number>();
    for (const name of mirrored)
      sizes.set(name, this.#followed.get(name)?.size ?? (await sizeOfCopy(this.#pathOf(name))));
    this.#sizes = sizes;
    return sizes;
  }

  /** Brings what a status tells; gives whether that much is here now. @throws NoRoom, HarnessError diskFull, hostUnreachable */
  pull(told: Told): Promise<boolean> {
    // Two who wait for one job would both append what comes next.
    const pulled = this.#pulling.then(() => this.#pull(told));
    this.#pulling = pulled.catch(() => undefined);
    return pulled;
  }

  async #pull(told: Told): Promise<boolean> {
    this.#fail();
    let isWhole = true;
    for (const name of mirrored) {
      const file = told.files.get(name);
      if (file !== undefined && !(await this.#bring(name, file, told))) isWhole = false;
    }
    this.#fail();
    return isWhole;
  }

  /** Ends all following; what is here stays and is gone on from. */
  async stop(): Promise<void> {
    await Promise.all([...this.#followed.keys()].map((name) => this.#unfollow(name)));
  }

  /** What ended a following is thrown once; that there is no room, until it is worth looking again. */
  #fail(): void {
    const failure = this.#failure;
    if (failure === undefined) return;
    if (failure.until < performance.now()) this.#failure = undefined;
    if (!(failure.error instanceof NoRoom) || this.#failure !== undefined) throw failure.error;
  }

  async #bring(name: string, file: JobFile, { before, isOver }: Told): Promise<boolean> {
    const path = this.#pathOf(name);
    const origins = await this.#readOrigins();
    const known = origins[name];
    if ((known !== undefined && known !== file.id) || (before.get(name) ?? 0) > file.size) {
      // Another file has taken the name, or it was emptied: the copy starts anew, too.
      await this.#unfollow(name);
      await rm(path, { force: true });
    }
    if (name.endsWith(".1") && known !== file.id) {
      // What was cut off a log lies in a new file beside it, however long the log is again.
      const log = name.slice(0, -2);
      await this.#unfollow(log);
      await rm(this.#pathOf(log), { force: true });
    }
    let followed = this.#followed.get(name);
    if (followed !== undefined) {
      const isHere = followed.size >= file.size;
      if (!(isOver && isHere) && !(followed.isSilent && !isHere)) return isHere;
      await this.#unfollow(name);
      followed = undefined;
    }
    const size = await sizeOfCopy(path);
    if (file.size === 0 || (isOver && size >= file.size)) return size >= file.size;
    if (known !== file.id) await this.#writeOrigins({ ...origins, [name]: file.id });
    if ((!isOver || file.size - size > worthFollowing) && (await this.#follow(name, file))) return false;
    return size >= file.size || this.#copy(name, file);
  }

  async #follow(name: string, file: JobFile): Promise<boolean> {
    const { slots } = this.#options;
    if (this.#refusedUntil > performance.now() || !slots.hasRoom()) return false;
    const copy = await LocalCopy.open(this.#pathOf(name));
    const followed = new FollowedFile(this.#options, {
      path: this.#there(name),
      id: file.id,
      copy,
      check: (bytes) => this.#check(name, copy.size, bytes),
    });
    this.#followed.set(name, followed);
    slots.take(followed);
    void followed.over.then((error) => {
      slots.giveBack(followed);
      if (this.#followed.get(name) === followed) this.#followed.delete(name);
      // A login of its own may be refused, as where each needs a code; the open connection goes on to serve.
      if (HarnessError.is(error, "hostRefused")) this.#refusedUntil = performance.now() + refusedMilliseconds;
      else if (error !== undefined)
        this.#failure ??= {
          error,
          until: error instanceof NoRoom ? performance.now() + roomMilliseconds : 0,
        };
    });
    return true;
  }

  async #unfollow(name: string): Promise<void> {
    const followed = this.#followed.get(name);
    await followed?.stop();
  }

  /** Copies up to what a status said; gives whether that much is here. */
  async #copy(name: string, file: JobFile): Promise<boolean> {
    const { shell, bandwidth } = this.#options;
    const there = shellWord(this.#there(name));
    const copy = await LocalCopy.open(this.#pathOf(name));
    try {
      while (copy.size < file.size) {
        const wanted = Math.min(chunkBytes, file.size - copy.size);
        await this.#check(name, copy.size, wanted);
        const bytes = await shell.run(
          // What a command complains about comes back with the answer, and must never become evidence.
          `exec 2>/dev/null
[ -f ${there} ] && exec 3<${there} && [ "$(stat -L -c %d:%i:%W /dev/fd/3)" = ${shellWord(file.id)} ] && tail -c +${copy.size + 1} <&3 | head -c ${wanted}`,
        );
        // Rotated meanwhile: the next status tells.
        if (bytes.length === 0 || bytes.length > wanted) return false;
        await copy.append([bytes]);
        await bandwidth.spend(bytes.length);
      }
      return true;
    } finally {
      await copy.close();
    }
  }

  /** Refuses bytes that neither the run nor this machine has room for. */
  async #check(name: string, size: number, bytes: number): Promise<void> {
    const { limitBytes, from, shell, room } = this.#options;
    this.#sizes.set(name, size + bytes);
    const total = [...this.#sizes.values()].reduce((sum, one) => sum + one, 0);
    if (total > limitBytes)
      throw new HarnessError(
        "diskFull",
        `The files of ${from} on ${shell.route.name} are larger than the limit of ${limitBytes} bytes.`,
      );
    await room.take(bytes);
  }

  async #readOrigins(): Promise<Record<string, string>> {
    this.#origins ??= await readFile(this.#originsPath(), "utf8").then(
      (text) => Origins.parse(JSON.parse(text)),
      () => ({}),
    );
    return this.#origins;
  }

  async #writeOrigins(origins: Record<string, string>): Promise<void> {
    await writeFileAtomic(this.#originsPath(), JSON.stringify(origins), { mode: 0o600 });
    this.#origins = origins;
  }

  #pathOf(name: string): string {
    return join(this.#options.to, name);
  }

  #there(name: string): string {
    return posix.join(this.#options.from, name);
  }

  #originsPath(): string {
    return this.#pathOf("origins.json");
  }
}
