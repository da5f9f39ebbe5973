/** Holm's step-down adjustment (Holm 1979): compare each with the level that all of them together are to keep. */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((p, i) => ({ p, i })).sort((a, b) => a.p - b.p);
  const adjusted = new Array<number>(pValues.length).fill(1);
  let least = 0;
  for (const [rank, { p, i }] of order.entries()) {
    least = Math.max(least, Math.min(1, p * (pValues.length - rank)));
    adjusted[i] = least;
  }
  return adjusted;
}
