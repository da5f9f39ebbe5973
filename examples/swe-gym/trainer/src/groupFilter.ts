import type { GroupFilter } from "../../../../shared/spec/reward.ts";

/** z with P(Z < z) = p for a standard normal (Acklam's rational approximation, relative error below 1.2e-9). */
export function normalQuantile(p: number): number {
  if (p <= 0) return -Infinity;
  if (p >= 1) return Infinity;
  const low = 0.02425;
  const tail = (q: number): number =>
    (((((-7.784894002430293e-3 * q - 0.3223964580411365) * q - 2.400758277161838) * q - 2.549732539343734) *
      q +
      4.374664141464968) *
      q +
      2.938163982698783) /
    ((((7.784695709041462e-3 * q + 0.3224671290700398) * q + 2.445134137142996) * q + 3.754408661907416) * q +
      1);
  if (p < low) return tail(Math.sqrt(-2 * Math.log(p)));
  if (p > 1 - low) return -tail(Math.sqrt(-2 * Math.log(1 - p)));
  const q = p - 0.5;
  const r = q * q;
  return (
    ((((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r + 138.357751867269) * r -
      30.66479806614716) *
      r +
      2.506628277459239) *
      q) /
    (((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r + 66.80131188771972) * r -
      13.28068155288572) *
      r +
      1)
  );
}

/**
 * Keeps the groups whose reward spread is not low against a moving average (StdGroupFilter): threshold = mean − z(keep) ·
 * std of the spreads so far, spread 0 always dropped, nothing else dropped during the first max(20, 1 / decay) groups, and
 * at least minKeep of a step's groups with any spread kept.
 */
export class StdGroupFilter {
  private readonly settings: GroupFilter;
  private mean = 0;
  private variance = 0;
  private seen = 0;

  constructor(settings: GroupFilter) {
    this.settings = settings;
  }

  /** Whether each group of a step is trained on, given the groups' reward standard deviations in order. */
  keep(spreads: readonly number[]): boolean[] {
    const { kind, keep, decay, minKeep } = this.settings;
    const alive = spreads.map((s) => s > 1e-9);
    if (kind === "none") return alive;
    const kept = spreads.map((spread) => {
      const warm = this.seen < Math.max(20, 1 / decay);
      const threshold = this.mean - normalQuantile(keep) * Math.sqrt(this.variance);
      const delta = spread - this.mean;
      this.mean = this.seen === 0 ? spread : this.mean + decay * delta;
      this.variance = this.seen === 0 ? 0 : (1 - decay) * (this.variance + decay * delta * delta);
      this.seen++;
      return spread > 1e-9 && (warm || spread >= threshold);
    });
    const wanted = Math.ceil(minKeep * spreads.length);
    const byspread = spreads.map((s, i) => ({ s, i })).sort((a, b) => b.s - a.s || a.i - b.i);
    for (const { i } of byspread) {
      if (kept.filter(Boolean).length >= wanted) break;
      if (alive[i] === true) kept[i] = true;
    }
    return kept;
  }
}
