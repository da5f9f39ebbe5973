/** Which rollout is on which line of a batch: texts stay bytes, because they are seldom asked for. */
export class Identities {
  length = 0;
  readonly #runs: string[] = [];
  readonly #runOf: number[] = [];
  readonly #lines: number[] = [];
  /** Where the id of each ends in `bytes`; it begins where the one before it ends. */
  readonly #ends: number[] = [];
  #bytes = Buffer.alloc(1 << 12);

  /** Takes an id in that lies in a part of `bytes` as UTF-8. */
  add(line: number, run: string, id: Uint8Array, start = 0, end = id.length): void {
    if (this.#runs.at(-1) !== run) this.#runs.push(run);
    this.#runOf[this.length] = this.#runs.length - 1;
    const from = this.#end(this.length - 1);
    const to = from + end - start;
    while (to > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * this.#bytes.length);
    const bytes = this.#bytes;
    for (let i = from, at = start; i < to; i++, at++) bytes[i] = id[at] ?? 0;
    this.#lines[this.length] = line;
    this.#ends[this.length++] = to;
  }

  clear(): void {
    this.length = 0;
    this.#runs.length = 0;
  }

  /** The names of all runs. */
  get runs(): ReadonlySet<string> {
    return new Set(this.#runs);
  }

  line(index: number): number {
    return this.#lines[index] ?? 0;
  }

  run(index: number): string {
    return this.#runs[this.#runOf[index] ?? 0] ?? "";
  }

  id(index: number): string {
    return this.#bytes.toString("utf8", this.#end(index - 1), this.#end(index));
  }

  /** Calls `visit` with each id, as UTF-8. */
  each(visit: (run: string, bytes: Uint8Array, start: number, end: number) => void): void {
    for (let i = 0; i < this.length; i++) visit(this.run(i), this.#bytes, this.#end(i - 1), this.#end(i));
  }

  #end(index: number): number {
    return index < 0 ? 0 : (this.#ends[index] ?? 0);
  }
}
