import type { Rollout } from "../../../shared/model/rollout.ts";
import { atomOf, boundAtom, featuresOf, type Atom } from "./atoms.ts";
import { addBit, countBits, emptyBits, type Bits } from "./bits.ts";

/** An atom and the rollouts for which it holds. */
export interface HeldAtom {
  readonly atom: Atom;
  readonly held: Bits;
}

/** Keys from which on those that were seen once are forgotten. */
const mostKeys = 300_000;
/** Bounds that are tried for one number. */
const mostBounds = 16;
/** The most atoms that are compared. */
const mostAtoms = 6000;

/** The features of many rollouts, gathered one rollout at a time in the order of their places. */
export class FeatureTable {
  #size = 0;
  readonly #keys = new Map<string, number[]>();
  readonly #numbers = new Map<string, Map<number, number[]>>();

  add(rollout: Rollout): void {
    const at = this.#size++;
    const { keys, numbers } = featuresOf(rollout);
    for (const key of keys) {
      const list = this.#keys.get(key);
      if (list === undefined) this.#keys.set(key, [at]);
      else list.push(at);
    }
    for (const [number, value] of numbers) {
      const values = this.#numbers.get(number) ?? new Map<number, number[]>();
      this.#numbers.set(number, values);
      const list = values.get(value);
      if (list === undefined) values.set(value, [at]);
      else list.push(at);
    }
    if (this.#keys.size > mostKeys)
      for (const [key, { length }] of this.#keys) if (length === 1) this.#keys.delete(key);
  }

  get size(): number {
    return this.#size;
  }

  /** The atoms that hold for at least `least` rollouts and not for all, the simplest of those that hold for the same ones. */
  atoms(least: number): readonly HeldAtom[] {
    const isUseful = (count: number): boolean => count >= least && count < this.#size;
    const found: HeldAtom[] = [];
    for (const [number, values] of this.#numbers) found.push(...this.#bounds(number, values, isUseful));
    const frequent = [...this.#keys].filter(([, list]) => isUseful(list.length));
    for (const [key, list] of frequent.sort((a, b) => b[1].length - a[1].length).slice(0, mostAtoms))
      found.push({ atom: atomOf(key), held: this.#bits(list) });
    const simplest = new Map<string, HeldAtom>();
    for (const one of found.sort(
      (a, b) => a.atom.cost - b.atom.cost || (a.atom.when < b.atom.when ? -1 : 1),
    )) {
      const same = fingerprint(one.held);
      if (!simplest.has(same)) simplest.set(same, one);
    }
    return [...simplest.values()];
  }

  #bounds(
    number: string,
    values: ReadonlyMap<number, readonly number[]>,
    isUseful: (count: number) => boolean,
  ): HeldAtom[] {
    const sorted = [...values].sort(([a], [b]) => a - b);
    const step = Math.max(1, sorted.length / mostBounds);
    const bounds = Array.from({ length: Math.min(sorted.length, mostBounds) }, (_, i) =>
      Math.floor(i * step),
    );
    const found: HeldAtom[] = [];
    for (const i of bounds)
      for (const side of ["<=", ">="] as const) {
        const held = this.#bits(
          sorted.slice(...(side === "<=" ? [0, i + 1] : [i])).flatMap(([, list]) => list),
        );
        // A tool that was never called has no value here, and the count 0 in the language.
        const isOpen = number.startsWith("tool_") && side === "<=";
        const bound = sorted[i]?.[0] ?? 0;
        if (!isOpen && isUseful(countBits(held))) found.push({ atom: boundAtom(number, side, bound), held });
      }
    return found;
  }

  #bits(list: readonly number[]): Bits {
    const bits = emptyBits(this.#size);
    for (const at of list) addBit(bits, at);
    return bits;
  }
}

/** One text for one set; sets that differ get the same one practically never. */
function fingerprint(bits: Bits): string {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (const word of bits) {
    a = Math.imul(a ^ word, 0x01000193) >>> 0;
    b = Math.imul(b ^ (word >>> 7) ^ (word << 9), 0x85ebca6b) >>> 0;
    a = (a ^ (b >>> 13)) >>> 0;
  }
  return `${a}.${b}.${countBits(bits)}`;
}
