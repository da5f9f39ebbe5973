import { setTimeout as delay } from "node:timers/promises";
import { Transform } from "node:stream";

/** How much may be spent at once after a pause, in seconds. */
const burstSeconds = 0.25;

/** A limit on bytes per second that all transfers of a host share. */
export class Bandwidth {
  readonly #perSecond: number;
  /** Until when what was spent so far is paid for. */
  #paidUntil = 0;

  /** Megabytes per second; undefined: as fast as it goes. */
  constructor(megabytes: number | undefined) {
    this.#perSecond = megabytes === undefined ? Number.POSITIVE_INFINITY : megabytes * 1e6;
  }

  get bytesPerSecond(): number | undefined {
    return Number.isFinite(this.#perSecond) ? this.#perSecond : undefined;
  }

  /** Waits until that many bytes were allowed to pass. */
  async spend(bytes: number): Promise<void> {
    if (!Number.isFinite(this.#perSecond)) return;
    const now = performance.now() / 1000;
    this.#paidUntil = Math.max(this.#paidUntil, now - burstSeconds) + bytes / this.#perSecond;
    const wait = this.#paidUntil - now;
    if (wait > 0) await delay(wait * 1000);
  }

  /** A stream that lets no more through. */
  throttle(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        void this.spend(chunk.length).then(() => done(null, chunk));
      },
    });
  }
}
