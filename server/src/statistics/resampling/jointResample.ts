import { seededRandom } from "../../base/random.ts";
import type { ResampleOptions } from "./resample.ts";

/** Of each resample r and column j, at r · columns + j: the mean less that of the sample, and its standard error. */
export interface JointResamples {
  readonly columns: number;
  readonly shifts: Float64Array;
  readonly errors: Float64Array;
}

/** Bootstrap of several means over the same items: each resample draws the items once for all columns. */
export function resampleJointly(
  columns: readonly Float64Array[],
  { resamples, seed }: ResampleOptions,
): JointResamples {
  const m = columns.length;
  const n = columns[0]?.length ?? 0;
  const rows = new Float64Array(n * m);
  for (const [j, column] of columns.entries()) {
    const mean = column.reduce((sum, x) => sum + x, 0) / n;
    for (const [i, x] of column.entries()) rows[i * m + j] = x - mean;
  }
  const random = seededRandom(seed);
  const shifts = new Float64Array(resamples * m);
  const errors = new Float64Array(resamples * m);
  const [sums, squares] = [new Float64Array(m), new Float64Array(m)];
  for (let r = 0; r < resamples; r++) {
    sums.fill(0);
    squares.fill(0);
    for (let d = 0; d < n; d++) {
      const from = ((random() * n) | 0) * m;
      for (let j = 0; j < m; j++) {
        const x = rows[from + j] ?? 0;
        sums[j] = (sums[j] ?? 0) + x;
        squares[j] = (squares[j] ?? 0) + x * x;
      }
    }
    for (let j = 0; j < m; j++) {
      const shift = (sums[j] ?? 0) / n;
      const variance = (squares[j] ?? 0) - n * shift * shift;
      shifts[r * m + j] = shift;
      errors[r * m + j] = variance <= 1e-12 * (squares[j] ?? 0) ? 0 : Math.sqrt(variance / (n - 1) / n);
    }
  }
  return { columns: m, shifts, errors };
}
