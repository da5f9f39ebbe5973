/** A spread below this is rounding, not a difference in reward. */
export const zeroSpread = 1e-9;

/** Mean and standard deviation (population) of the values from `from` up to `to`; NaN where there are none. */
export function meanAndStd(
  values: ArrayLike<number>,
  from = 0,
  to = values.length,
): { readonly mean: number; readonly std: number } {
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[i] ?? NaN;
  const mean = sum / (to - from);
  let squares = 0;
  for (let i = from; i < to; i++) squares += ((values[i] ?? NaN) - mean) ** 2;
  return { mean, std: Math.sqrt(squares / (to - from)) };
}
