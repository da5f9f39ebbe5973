import { seededRandom } from "../base/random.ts";

/** Up to this many ways are all gone through; beyond it some are drawn, enough for a p of 0.0002. */
const waysLimit = 10_000;
const draws = 4_999;

/** How many ways there are to choose k of n; Infinity where a number cannot hold it. */
export function choose(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) ways = (ways * (n - Math.min(k, n - k) + i)) / i;
  return Math.round(ways);
}

export interface PermutationTest {
  /** Share of the assignments whose statistic is at least as large as that of the real one. */
  readonly p: number;
  /** Whether all assignments were gone through; otherwise `p` is estimated from draws, the real one counted in. */
  readonly exact: boolean;
  /** The smallest p that any assignment of these values could have had. */
  readonly least: number;
}

const slack = 1e-12;

function exactTest(real: number, ways: readonly number[]): PermutationTest {
  const share = (from: number): number => ways.filter((w) => w >= from - slack).length / ways.length;
  const most = ways.reduce((a, b) => Math.max(a, b), -Infinity);
  return { p: share(real), exact: true, least: share(most) };
}

/**
 * Permutation test for a choice of k of n: all choices where they are few, otherwise draws (Phipson and Smyth 2010 for
 * counting the real one in). `chosen` is true for the k; the real choice is the first k.
 */
export function testChoices(
  n: number,
  k: number,
  statistic: (chosen: Uint8Array) => number,
  seed = 1,
): PermutationTest {
  const chosen = new Uint8Array(n).fill(1, 0, k);
  if (choose(n, k) <= waysLimit) {
    const ways: number[] = [];
    forEachChoice(n, k, (choice) => ways.push(statistic(choice)));
    return exactTest(statistic(chosen), ways);
  }
  const real = statistic(chosen) - slack;
  const random = seededRandom(seed);
  let extreme = 1;
  for (let draw = 0; draw < draws; draw++) {
    // Fisher and Yates, backwards.
    for (let i = n - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      const held = chosen[i] ?? 0;
      chosen[i] = chosen[j] ?? 0;
      chosen[j] = held;
    }
    if (statistic(chosen) >= real) extreme++;
  }
  return { p: extreme / (draws + 1), exact: false, least: 1 / (draws + 1) };
}

function forEachChoice(n: number, k: number, visit: (chosen: Uint8Array) => void): void {
  const chosen = new Uint8Array(n);
  const go = (from: number, left: number): void => {
    if (left === 0) {
      visit(chosen);
      return;
    }
    for (let i = from; i <= n - left; i++) {
      chosen[i] = 1;
      go(i + 1, left - 1);
      chosen[i] = 0;
    }
  };
  go(0, k);
}

/** The same for n independent swaps: `swapped` says which of the n pairs change sides; in reality none does. */
export function testSwaps(n: number, statistic: (swapped: Uint8Array) => number, seed = 1): PermutationTest {
  const swapped = new Uint8Array(n);
  const unswapped = statistic(swapped);
  if (2 ** n <= waysLimit) {
    const ways: number[] = [];
    for (let way = 0; way < 2 ** n; way++) {
      for (let i = 0; i < n; i++) swapped[i] = (way >> i) & 1;
      ways.push(statistic(swapped));
    }
    return exactTest(unswapped, ways);
  }
  const real = unswapped - slack;
  const random = seededRandom(seed);
  let extreme = 1;
  for (let draw = 0; draw < draws; draw++) {
    // One number is good for 24 swaps.
    for (let i = 0, bits = 0; i < n; i++, bits >>>= 1) {
      if (i % 24 === 0) bits = Math.floor(random() * 2 ** 24);
      swapped[i] = bits & 1;
    }
    if (statistic(swapped) >= real) extreme++;
  }
  return { p: extreme / (draws + 1), exact: false, least: 1 / (draws + 1) };
}
