/** A job of a group: its place in the group is the same whenever the group is submitted. */
export interface GroupMember {
  readonly id: string;
  readonly index: number;
}

/**
 * Jobs that are handed to a machine in one go: each one that is ready waits for the others, and the last one acts for
 * all. One that fails before it is ready leaves.
 */
export class SubmitGroup {
  readonly name: string;
  readonly #expected: Map<string, number>;
  readonly #ready = new Map<string, { resolve: () => void; reject: (e: unknown) => void }>();
  #act: ((members: readonly GroupMember[]) => Promise<void>) | undefined;

  /** The name is that of the group among those of one folder of runs. */
  constructor(name: string, members: readonly GroupMember[]) {
    this.name = name;
    this.#expected = new Map(members.map(({ id, index }) => [id, index]));
  }

  has(id: string): boolean {
    return this.#expected.has(id);
  }

  /** Resolves, or rejects, for each of them as the one `act` does. */
  ready(id: string, act: (members: readonly GroupMember[]) => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#act = act;
      this.#ready.set(id, { resolve, reject });
      this.#goOn();
    });
  }

  leave(id: string): void {
    if (this.#ready.has(id)) return;
    this.#expected.delete(id);
    this.#goOn();
  }

  #goOn(): void {
    if (this.#act === undefined || this.#ready.size === 0 || this.#ready.size < this.#expected.size) return;
    const members = [...this.#expected].map(([id, index]) => ({ id, index }));
    const waiting = [...this.#ready.values()];
    this.#ready.clear();
    // Who submits once more does so alone.
    this.#expected.clear();
    this.#act(members).then(
      () => waiting.forEach(({ resolve }) => resolve()),
      (e: unknown) => waiting.forEach(({ reject }) => reject(e)),
    );
  }
}
