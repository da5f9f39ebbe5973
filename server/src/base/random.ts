/** A seeded generator of numbers in [0, 1): mulberry32, 2^32 states; enough for resampling, not for secrets. */
export function seededRandom(seed: number): () => number {
  // Kept as a signed word: a number beyond 2^31 would be allocated on each call.
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A copy in an order that is drawn by `random`. */
export function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const list = [...values];
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const [a, b] = [list[i], list[j]];
    if (a !== undefined && b !== undefined) [list[i], list[j]] = [b, a];
  }
  return list;
}
