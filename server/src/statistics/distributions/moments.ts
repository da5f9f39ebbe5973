export interface Moments {
  readonly n: number;
  readonly mean: number;
  /** With n − 1; 0 for a single value. */
  readonly variance: number;
  /** Third central moment over the cube of the standard deviation, both with n; 0 where there is no spread. */
  readonly skewness: number;
}

/** Mean, variance and skewness in two passes. */
export function moments(values: ArrayLike<number>): Moments {
  const n = values.length;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[i] ?? 0;
  const mean = sum / n;
  let [squares, cubes] = [0, 0];
  for (let i = 0; i < n; i++) {
    const d = (values[i] ?? 0) - mean;
    squares += d * d;
    cubes += d * d * d;
  }
  // What rounding leaves of a spread of nothing is nothing.
  const spread = squares > 1e-24 * n * Math.max(1, mean * mean);
  return {
    n,
    mean,
    variance: spread && n > 1 ? squares / (n - 1) : 0,
    skewness: spread ? cubes / n / (squares / n) ** 1.5 : 0,
  };
}
