import type { GroupFilter } from "../spec/reward.ts";
import { zeroSpread } from "../model/groupSpread.ts";
import { normalQuantile } from "../model/normalQuantile.ts";

/**
 * What a filter does with a group. dead: no spread, never trained on. low: dropped for its low spread. rescued: it would
 * have been dropped, but the step keeps its least share. same: dropped because all its rollouts have one outcome.
 */
export type GroupVerdict = "kept" | "rescued" | "low" | "dead" | "same";

/** Groups that are seen before any is dropped for its spread. */
export function warmupOf({ warmup, decay }: Pick<GroupFilter, "warmup" | "decay">): number {
  return warmup ?? Math.max(20, Math.ceil(1 / decay));
}

/**
 * Which groups of a step are trained on (StdGroupFilter). Trainer and backtest both run this. A moving mean and variance
 * follow the standard deviation of the rewards of every group in order.
 *
 * Groups without spread are always dropped. After the warm-up, mode absolute drops the groups below mean − z(keep) · std,
 * and mode top-p all but the widest groups of the step whose spreads add up to the share `keep`. At least the share
 * minKeep of a step's groups is kept, the widest first, as far as they have a spread.
 *
 * Kind outcome drops the groups of which all outcomes are known and the same: there only the shaping of the reward differs.
 */
export class StdGroupFilter {
  readonly #settings: GroupFilter;
  readonly #warmup: number;
  readonly #z: number;
  #mean = 0;
  #variance = 0;
  #seen = 0;

  constructor(settings: GroupFilter) {
    this.#settings = settings;
    this.#warmup = warmupOf(settings);
    this.#z = normalQuantile(settings.keep);
  }

  /** Below which the next group would be dropped; null in the warm-up, and where the mode knows no threshold. */
  get threshold(): number | null {
    const { kind, mode } = this.#settings;
    if (kind !== "std" || mode === "top-p" || this.#seen < this.#warmup || this.#z === Infinity) return null;
    return this.#mean - this.#z * Math.sqrt(this.#variance);
  }

  /** The moving mean and standard deviation of the groups' spreads; null before the first one. */
  get average(): { readonly mean: number; readonly std: number } | null {
    return this.#seen === 0 ? null : { mean: this.#mean, std: Math.sqrt(this.#variance) };
  }

  /**
   * Whether each group of a step is trained on, given the groups' reward standard deviations in order, and whether each has
   * both a rollout that passed and one that failed (null where an unknown outcome leaves it open).
   */
  keep(spreads: readonly number[], outcomesDiffer?: readonly (boolean | null)[]): boolean[] {
    return this.judge(spreads, outcomesDiffer).map((verdict) => verdict === "kept" || verdict === "rescued");
  }

  /** The same with the reason. */
  judge(spreads: readonly number[], outcomesDiffer: readonly (boolean | null)[] = []): GroupVerdict[] {
    const { kind, mode } = this.#settings;
    if (kind !== "std")
      return spreads.map((spread, i) => {
        if (!(spread > zeroSpread)) return "dead";
        return kind === "outcome" && outcomesDiffer[i] === false ? "same" : "kept";
      });
    const warmLeft = this.#warmup - this.#seen;
    const verdicts = spreads.map((spread): GroupVerdict => {
      const { threshold } = this;
      this.#follow(spread);
      if (!(spread > zeroSpread)) return "dead";
      return threshold === null || spread >= threshold ? "kept" : "low";
    });
    if (mode === "top-p") this.#dropTail(spreads, verdicts, warmLeft);
    this.#rescue(spreads, verdicts);
    return verdicts;
  }

  #follow(spread: number): void {
    if (!Number.isFinite(spread)) return;
    const { decay } = this.#settings;
    const delta = spread - this.#mean;
    this.#mean = this.#seen === 0 ? spread : this.#mean + decay * delta;
    this.#variance = this.#seen === 0 ? 0 : (1 - decay) * (this.#variance + decay * delta * delta);
    this.#seen++;
  }

  #dropTail(spreads: readonly number[], verdicts: GroupVerdict[], warmLeft: number): void {
    const living = widestFirst(spreads).filter((i) => verdicts[i] !== "dead");
    const total = living.reduce((sum, i) => sum + (spreads[i] ?? 0), 0);
    // A share of 0.9 of three equal spreads must not need a fourth because of rounding.
    const wanted = this.#settings.keep * total * (1 - 1e-12);
    let sum = 0;
    for (const i of living) {
      if (sum >= wanted && i >= warmLeft) verdicts[i] = "low";
      sum += spreads[i] ?? 0;
    }
  }

  #rescue(spreads: readonly number[], verdicts: GroupVerdict[]): void {
    let missing =
      Math.ceil(this.#settings.minKeep * spreads.length) - verdicts.filter((v) => v === "kept").length;
    if (missing <= 0) return;
    for (const i of widestFirst(spreads)) {
      if (missing === 0) return;
      if (verdicts[i] !== "low") continue;
      verdicts[i] = "rescued";
      missing--;
    }
  }
}

function widestFirst(spreads: readonly number[]): number[] {
  return spreads.map((_, i) => i).sort((a, b) => (spreads[b] ?? 0) - (spreads[a] ?? 0) || a - b);
}
