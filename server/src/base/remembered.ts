/** What was computed from the same key before, so that it is not computed again; the key asked for longest ago is forgotten first. */
export class Remembered<T> {
  readonly #most: number;
  readonly #known = new Map<string, { readonly result: T }>();

  /** @param most how many results are kept, at least one */
  constructor(most: number) {
    this.#most = most;
  }

  /** `make` depends on nothing but what is in the key, and nobody changes what it returns. */
  of(key: string, make: () => T): T {
    const known = this.#known.get(key);
    const { result } = known ?? { result: make() };
    this.#known.delete(key);
    this.#known.set(key, { result });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= this.#most) break;
      this.#known.delete(oldest);
    }
    return result;
  }
}
