/** The mean of the finite numbers among the values; null without any. */
export function meanOf(values: Iterable<unknown>): number | null {
  let [sum, n] = [0, 0];
  for (const value of values)
    if (typeof value === "number" && Number.isFinite(value)) {
      sum += value;
      n++;
    }
  return n === 0 ? null : sum / n;
}
