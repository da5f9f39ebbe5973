/** A server allows ten sessions of one connection as it comes; some are kept free for questions and transfers. */
const slots = 6;
/** A file that has not grown for so long gives way to another one. */
const idleMilliseconds = 10_000;

/** Something that follows a file and can be ended. */
export interface Following {
  /** When a byte came last, in milliseconds of `performance.now()`. */
  readonly lastAt: number;
  stop(): Promise<void>;
}

/** How many files of a host are followed at a time; the others are copied whenever its status is asked for. */
export class FollowSlots {
  readonly #taken = new Set<Following>();

  /** Whether one more may be followed, now or after one that was idle has made room. */
  hasRoom(): boolean {
    if (this.#taken.size < slots) return true;
    const before = performance.now() - idleMilliseconds;
    const idle = [...this.#taken]
      .filter(({ lastAt }) => lastAt < before)
      .sort((a, b) => a.lastAt - b.lastAt)[0];
    if (idle === undefined) return false;
    this.#taken.delete(idle);
    void idle.stop();
    return true;
  }

  take(following: Following): void {
    this.#taken.add(following);
  }

  giveBack(following: Following): void {
    this.#taken.delete(following);
  }
}
