/** SQL over `rollouts r` that holds where something is worth trying; undefined where it is everywhere. */
export type Guard = string | undefined;

/**
 * On which rollouts each condition on turns is tried. What many labels ask first, such as the outcome, is known before any turn
 * is read; a condition of which nothing depends there would still have its turns read, matched and gathered by rollout.
 */
export class RolloutGuards {
  #current: Guard;
  readonly #of = new Map<number, Set<Guard>>();

  /** That of what is being compiled. */
  get current(): Guard {
    return this.#current;
  }

  /** Compiles what does not matter where one of `needs` is false. */
  within<T>(needs: readonly string[], compiled: () => T): T {
    const before = this.#current;
    this.#current = needs.length === 0 ? before : needs.map((sql) => `(${sql}) IS NOT FALSE`).join(" AND ");
    try {
      return compiled();
    } finally {
      this.#current = before;
    }
  }

  /** Says that the condition at a place is asked for by something with this guard. */
  add(place: number, guard: Guard): void {
    this.#of.set(place, (this.#of.get(place) ?? new Set()).add(guard));
  }

  /** Of all that ask for it. */
  of(place: number): Guard {
    const some = this.#of.get(place) ?? new Set([undefined]);
    return some.has(undefined) ? undefined : [...some].map((guard) => `(${guard ?? "TRUE"})`).join(" OR ");
  }
}
