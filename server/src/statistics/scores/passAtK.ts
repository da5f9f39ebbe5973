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
