import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "../../base/errors.ts";
import type { Bandwidth } from "./bandwidth.ts";
import { Follower } from "./follower.ts";
import type { FollowSlots, Following } from "./followSlots.ts";
import type { LocalCopy } from "./localCopy.ts";
import type { Room } from "./room.ts";
import type { SshRoute } from "./sshArguments.ts";

const backoffMilliseconds = [50, 200, 500, 1000, 3000, 5000];
/** A connection that brings nothing for so long, although there is more, is given up. */
const silentMilliseconds = 5000;

/** What all files of a host that are followed share. */
export interface FollowMeans {
  readonly route: SshRoute;
  readonly compress: "none" | "gzip";
  readonly slots: FollowSlots;
  readonly bandwidth: Bandwidth;
  readonly room: Room;
}

interface FileToFollow {
  readonly path: string;
  readonly id: string;
  readonly copy: LocalCopy;
  /** Throws when there is no room for that many bytes. */
  readonly check: (bytes: number) => Promise<void>;
}

/** A file of a host that is followed into its copy here, over as many connections as it takes. */
export class FollowedFile implements Following {
  lastAt = performance.now();
  /** When it is over: with what ended it, or undefined when it was stopped or the file has become another one. */
  readonly over: Promise<unknown>;
  readonly #copy: LocalCopy;
  readonly #wake = new AbortController();
  #follower: Follower | undefined;

  constructor(means: FollowMeans, file: FileToFollow) {
    this.#copy = file.copy;
    this.over = this.#run(means, file).then(
      () => undefined,
      (e: unknown) => e,
    );
  }

  get size(): number {
    return this.#copy.size;
  }

  get isSilent(): boolean {
    return performance.now() - this.lastAt > silentMilliseconds;
  }

  async stop(): Promise<void> {
    this.#wake.abort();
    this.#follower?.stop();
    await this.over;
  }

  async #run(
    { route, compress, bandwidth }: FollowMeans,
    { path, id, copy, check }: FileToFollow,
  ): Promise<void> {
    const { signal } = this.#wake;
    try {
      for (let attempt = 0; !signal.aborted; attempt++) {
        const from = copy.size;
        this.#follower = new Follower({
          route,
          path,
          id,
          offset: from,
          compress,
          bandwidth,
          take: async (parts) => {
            await check(parts.reduce((sum, part) => sum + part.length, 0));
            await copy.append(parts);
            this.lastAt = performance.now();
          },
        });
        if ((await this.#follower.end) !== "cut") return;
        if (copy.size > from) attempt = 0;
        const wait = backoffMilliseconds[Math.min(attempt, backoffMilliseconds.length - 1)];
        await delay(wait, undefined, { signal }).catch((e: unknown) => {
          if (codeOf(e) !== "ABORT_ERR") throw e;
        });
      }
    } finally {
      await copy.close();
    }
  }
}
