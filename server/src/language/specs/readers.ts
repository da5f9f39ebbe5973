/** What each check has read, so that a change has only those checked again that it concerns. */
export class Readers<Key> {
  readonly #read = new Map<string, ReadonlySet<Key>>();
  readonly #readers = new Map<Key, Set<string>>();

  /** Takes in what a check has read, instead of what it had read before. */
  note(reader: string, keys: ReadonlySet<Key>): void {
    const before = this.#read.get(reader);
    for (const key of before ?? []) {
      if (keys.has(key)) continue;
      const readers = this.#readers.get(key);
      readers?.delete(reader);
      if (readers?.size === 0) this.#readers.delete(key);
    }
    for (const key of keys) {
      if (before?.has(key)) continue;
      const readers = this.#readers.get(key) ?? new Set();
      readers.add(reader);
      this.#readers.set(key, readers);
    }
    if (keys.size === 0) this.#read.delete(reader);
    else this.#read.set(reader, keys);
  }

  /** Whose checks have read it, or looked for it in vain. */
  of(key: Key): Iterable<string> {
    return this.#readers.get(key) ?? [];
  }
}
