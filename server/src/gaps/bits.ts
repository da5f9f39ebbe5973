/** A set of rollouts by their place: bit i of word i / 32. */
export type Bits = Uint32Array;

export const emptyBits = (size: number): Bits => new Uint32Array(Math.ceil(size / 32));

export function addBit(bits: Bits, at: number): void {
  const word = at >>> 5;
  bits[word] = (bits[word] ?? 0) | (1 << (at & 31));
}

export function hasBit(bits: Bits, at: number): boolean {
  return (((bits[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1;
}

/** How many rollouts are in both. */
export function countBoth(a: Bits, b: Bits): number {
  let count = 0;
  for (let i = 0; i < a.length; i++) count += ones((a[i] ?? 0) & (b[i] ?? 0));
  return count;
}

export function both(a: Bits, b: Bits): Bits {
  return a.map((word, i) => word & (b[i] ?? 0));
}

export function countBits(bits: Bits): number {
  return countBoth(bits, bits);
}

/** Rollouts in both, divided by those in one of them; 0 where both are empty. */
export function jaccard(a: Bits, b: Bits): number {
  const common = countBoth(a, b);
  const either = countBits(a) + countBits(b) - common;
  return either === 0 ? 0 : common / either;
}

function ones(word: number): number {
  let w = word - ((word >>> 1) & 0x55555555);
  w = (w & 0x33333333) + ((w >>> 2) & 0x33333333);
  return (((w + (w >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
