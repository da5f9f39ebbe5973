import { known, refuse, type Answer } from "./refusal.ts";

/** Passes among the known samples of one item. */
interface Tally {
  readonly pass: number;
  readonly known: number;
}

/**
 * Unbiased estimate that at least one of k samples passes, from c passes of n ≥ k: 1 − C(n − c, k) / C(n, k) as a product
 * that neither overflows nor cancels (Chen et al. 2021, "Evaluating Large Language Models Trained on Code", §2.1).
 */
export function passAtK(n: number, c: number, k: number): number {
  if (n - c < k) return 1;
  let none = 1;
  for (let i = n - c + 1; i <= n; i++) none *= 1 - k / i;
  return 1 - none;
}

/** Unbiased estimate that all of k samples pass: C(c, k) / C(n, k) (Yao et al. 2024, "τ-bench", §3). */
export function passHatK(n: number, c: number, k: number): number {
  if (c < k) return 0;
  let all = 1;
  for (let i = 0; i < k; i++) all *= (c - i) / (n - i);
  return all;
}

export interface PassRate {
  readonly value: number;
  /** Items that have k known samples, and items left out because they have fewer. */
  readonly items: number;
  readonly short: number;
}

/** Mean over items of pass@k ("any") or pass^k ("all"); items with fewer than k known samples are left out and counted. */
export function passRate(items: readonly Tally[], k: number, of: "any" | "all"): Answer<PassRate> {
  const enough = items.filter((item) => item.known >= k);
  const short = items.length - enough.length;
  if (items.length === 0) return refuse("nothing_measured", "There is no item.");
  if (!Number.isInteger(k) || k < 1 || enough.length === 0)
    return refuse("too_few_samples", `No item has ${k} samples with a known outcome.`);
  const one = of === "any" ? passAtK : passHatK;
  const value = enough.reduce((sum, item) => sum + one(item.known, item.pass, k), 0) / enough.length;
  return known({ value, items: enough.length, short });
}
