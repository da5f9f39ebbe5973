/** Which files each check has read, so that a change has only those checked again that it concerns. */
export class Readers {
  readonly #read = new Map<string, ReadonlySet<string>>();
  readonly #readers = new Map<string, Set<string>>();

  /** Takes in what a check has read, instead of what it had read before. */
  note(reader: string, files: ReadonlySet<string>): void {
    const before = this.#read.get(reader);
    for (const file of before ?? []) {
      if (files.has(file)) continue;
      const readers = this.#readers.get(file);
      readers?.delete(reader);
      if (readers?.size === 0) this.#readers.delete(file);
    }
    for (const file of files) {
      if (before?.has(file)) continue;
      const readers = this.#readers.get(file) ?? new Set();
      readers.add(reader);
      this.#readers.set(file, readers);
    }
    if (files.size === 0) this.#read.delete(reader);
    else this.#read.set(reader, files);
  }

  /** Whose checks read a file, or looked for it in vain. */
  of(file: string): Iterable<string> {
    return this.#readers.get(file) ?? [];
  }
}
