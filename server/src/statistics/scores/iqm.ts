/**
 * Interquartile mean: the mean of what is left after a quarter of the values, rounded down, is cut from each end. This is
 * `scipy.stats.trim_mean(x, 0.25)`, which rliable uses (Agarwal et al. 2021, §4.3). Of a non-empty list.
 */
export function iqm(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const cut = Math.floor(sorted.length / 4);
  const middle = sorted.subarray(cut, sorted.length - cut);
  return middle.reduce((sum, x) => sum + x, 0) / middle.length;
}
