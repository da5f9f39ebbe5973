/** Pairs of observations of two variables, as Kendall's tau needs them. */
export interface PairCounts {
  pairs: number;
  /** Concordant minus discordant pairs. */
  balance: number;
  tiedX: number;
  tiedY: number;
}

/** (C − D) / √((n₀ − n₁)(n₀ − n₂)): tau-b of Kendall (1945); null where one of the two has ties only. */
export function tauB({ pairs, balance, tiedX, tiedY }: PairCounts): number | null {
  const product = (pairs - tiedX) * (pairs - tiedY);
  return product > 0 ? balance / Math.sqrt(product) : null;
}

/** The pairs of observations of the same group, over all groups. Differences below 1e-9 are ties. */
export function pairsWithinGroups(x: Float64Array, y: Float64Array, offsets: Uint32Array): PairCounts {
  const total: PairCounts = { pairs: 0, balance: 0, tiedX: 0, tiedY: 0 };
  const [a, b] = [rounded(x), rounded(y)];
  for (let g = 0; g + 1 < offsets.length; g++) {
    const [from, to] = [offsets[g] ?? 0, offsets[g + 1] ?? 0];
    if (to - from <= quadraticUpTo) addAllPairs(total, a, b, from, to);
    else addBySorting(total, a.subarray(from, to), b.subarray(from, to));
  }
  return total;
}

/** Beyond this size sorting is faster than looking at every pair. */
const quadraticUpTo = 64;

function rounded(values: Float64Array): Float64Array {
  const whole = new Float64Array(values.length);
  for (let i = 0; i < whole.length; i++) whole[i] = Math.round((values[i] ?? NaN) * 1e9);
  return whole;
}

export function addAllPairs(
  total: PairCounts,
  x: Float64Array,
  y: Float64Array,
  from: number,
  to: number,
): void {
  let [balance, tiedX, tiedY] = [0, 0, 0];
  for (let i = from; i < to; i++) {
    const [xi, yi] = [x[i] ?? 0, y[i] ?? 0];
    for (let j = i + 1; j < to; j++) {
      const dx = xi - (x[j] ?? 0);
      const dy = yi - (y[j] ?? 0);
      if (dx === 0) tiedX++;
      if (dy === 0) tiedY++;
      if (dx !== 0 && dy !== 0) balance += dx > 0 === dy > 0 ? 1 : -1;
    }
  }
  total.pairs += pairsOf(to - from);
  total.balance += balance;
  total.tiedX += tiedX;
  total.tiedY += tiedY;
}

/** The same in n log n: the swaps that a merge sort by y makes after one by x (Knight 1966). */
export function addBySorting(total: PairCounts, x: Float64Array, y: Float64Array): void {
  const order = Uint32Array.from(x, (_, i) => i).sort(
    (i, j) => (x[i] ?? 0) - (x[j] ?? 0) || (y[i] ?? 0) - (y[j] ?? 0),
  );
  const [xs, ys] = [Float64Array.from(order, (i) => x[i] ?? 0), Float64Array.from(order, (i) => y[i] ?? 0)];
  const pairs = pairsOf(x.length);
  const tiedX = tiedPairs(xs.length, (i) => xs[i] === xs[i - 1]);
  const tiedBoth = tiedPairs(xs.length, (i) => xs[i] === xs[i - 1] && ys[i] === ys[i - 1]);
  const sorted = ys.slice();
  const discordant = sortCounting(sorted);
  const tiedY = tiedPairs(sorted.length, (i) => sorted[i] === sorted[i - 1]);
  total.pairs += pairs;
  total.tiedX += tiedX;
  total.tiedY += tiedY;
  total.balance += pairs - tiedX - tiedY + tiedBoth - 2 * discordant;
}

const pairsOf = (n: number): number => (n * (n - 1)) / 2;

/** Pairs inside runs of equal neighbours. */
function tiedPairs(length: number, equalsBefore: (i: number) => boolean): number {
  let tied = 0;
  let run = 1;
  for (let i = 1; i <= length; i++) {
    if (i < length && equalsBefore(i)) run++;
    else {
      tied += pairsOf(run);
      run = 1;
    }
  }
  return tied;
}

/** Sorts by merging and returns how many pairs stood in the wrong order. */
function sortCounting(values: Float64Array): number {
  let swaps = 0;
  let [from, to] = [values.slice(), new Float64Array(values.length)];
  for (let width = 1; width < values.length; width *= 2) {
    for (let start = 0; start < values.length; start += 2 * width) {
      const middle = Math.min(start + width, values.length);
      const end = Math.min(start + 2 * width, values.length);
      let [i, j] = [start, middle];
      for (let k = start; k < end; k++) {
        if (i < middle && (j >= end || (from[i] ?? 0) <= (from[j] ?? 0))) to[k] = from[i++] ?? 0;
        else {
          swaps += middle - i;
          to[k] = from[j++] ?? 0;
        }
      }
    }
    [from, to] = [to, from];
  }
  values.set(from);
  return swaps;
}
