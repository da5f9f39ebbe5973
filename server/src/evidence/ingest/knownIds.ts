/** The most ids that are kept track of, in 16 to 32 bytes each. */
const usualMost = 1 << 22;

/**
 * Which ids of a run were read since the archive was opened, as hashes: enough to say that an id is new without asking
 * the database, which took a seventh of an ingest. What may be known already has to be looked up.
 */
export class KnownIds {
  #slots = new Float64Array(1 << 12);
  #count = 0;
  readonly #most: number;
  /** The run of the last id, and its hash. */
  #run = "";
  #seed = 0;
  /** Runs all of whose ids are in the slots: those that had none when they were first seen. */
  readonly #whole = new Map<string, boolean>();

  constructor(most = usualMost) {
    this.#most = most;
  }

  /** Undefined for a run that was never seen. */
  isWhole(run: string): boolean | undefined {
    return this.#whole.get(run);
  }

  /** @param empty whether the archive has no rollout of the run */
  begin(run: string, empty: boolean): void {
    this.#whole.set(run, empty);
  }

  /** Takes an id in that lies in a part of `bytes` as UTF-8; whether it may have been there before. */
  add(run: string, bytes: Uint8Array, start = 0, end = bytes.length): boolean {
    if (this.#count >= this.#most) this.#drop();
    if (2 * this.#count >= this.#slots.length) this.#grow();
    if (run !== this.#run) {
      this.#run = run;
      const name = Buffer.from(run);
      this.#seed = hash(0, name, 0, name.length);
    }
    return this.#put(hash(this.#seed, bytes, start, end));
  }

  #put(value: number): boolean {
    const slots = this.#slots;
    const last = slots.length - 1;
    for (let at = value % slots.length; ; at = at === last ? 0 : at + 1) {
      const found = slots[at];
      if (found === value) return true;
      if (found !== 0) continue;
      slots[at] = value;
      this.#count++;
      return false;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Float64Array(2 * old.length);
    this.#count = 0;
    for (const value of old) if (value !== 0) this.#put(value);
  }

  /** Forgets everything, so that every run has to be looked up from now on. */
  #drop(): void {
    this.#slots = new Float64Array(1 << 12);
    this.#count = 0;
    for (const run of this.#whole.keys()) this.#whole.set(run, false);
  }
}

/**
 * 53 bits that are never zero: two multiplicative hashes in the manner of FNV-1a. Two ids that fall together cost a
 * look-up and nothing else.
 */
function hash(seed: number, bytes: Uint8Array, start: number, end: number): number {
  let a = 0x811c9dc5 ^ (seed % 4294967296);
  let b = 0x9e3779b9 ^ (seed / 4294967296);
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ byte, 0x85ebca6b);
    b ^= b >>> 15;
  }
  a ^= a >>> 13;
  return 4294967296 * (2097151 & b) + (a >>> 0) || 1;
}
