import type { ItemOutcomes } from "../../../server/src/statistics/scores/outcomes.ts";
import { Draws } from "../population.ts";
import { measuredSeeds } from "./measuredSeeds.ts";
import { ScoreScale } from "./scoreScale.ts";

/** A project, and what its candidates are like. Scores and sizes are in [0, 1]. */
export interface World {
  readonly items: number;
  readonly samples: number;
  /** Standard deviation that training with another seed gives a version's score. */
  readonly seedSd: number;
  /** Each version's own seedSd is between 1 − and 1 + this times it. */
  readonly unequalSeeds?: number;
  /** The seeds of each version differ as those of one of the experiment's versions do, and not by seedSd. */
  readonly asMeasured?: boolean;
  /** Of the candidates: how many are better, and how many are worse than their parent. The others are exactly as good. */
  readonly better: number;
  readonly worse: number;
  /** The mean size of a gain or a loss, and whether all have it or sizes are exponential. */
  readonly size: number;
  readonly sizes: "equal" | "exponential";
  /** better holds for the candidates of the first generation only; later ones are never better. */
  readonly goodFirst?: boolean;
  readonly generations: number;
  readonly candidates: number;
}

/** A version: what is true of it, and what was measured. */
export interface SimulatedVersion {
  readonly name: string;
  /** The expected score over all items and seeds. */
  readonly truth: number;
  /** Log odds of each item, apart from what a seed adds. */
  readonly items: Float64Array;
  readonly seedEffect: number;
  /** By how much the score of each of its seeds may differ from the version's own; none where seedEffect says so. */
  readonly deviations: readonly number[];
  outcomes: readonly ItemOutcomes[];
  seeds: number;
}

/** In log odds: how much items differ, how much of that a change redraws, and how differently a seed treats items. */
const itemSpread = 1.6;
const redrawn = 0.04;
const seedByItem = 0.3;
const firstScore = 0.35;
const bestScore = 0.95;
/** Scores that a seed can have. */
const [leastOfSeed, mostOfSeed] = [0.005, 0.98];

/** Draws versions and their evaluations. A change moves all items a little and redraws a part of what is particular to them. */
export class Worlds {
  readonly #draws: Draws;
  readonly #world: World;
  readonly #scale: ScoreScale;
  readonly #seedSpread: number;
  #versions = 0;
  constructor(world: World, seed: number) {
    this.#draws = new Draws(seed);
    this.#world = world;
    // The slope depends on the spread of seeds, and that on the slope: twice is close enough.
    const slope = new ScoreScale(Math.hypot(itemSpread, seedByItem)).slopeAt(firstScore);
    this.#seedSpread = world.seedSd / slope;
    this.#scale = new ScoreScale(Math.hypot(itemSpread, seedByItem, this.#seedSpread));
  }

  random = (): number => this.#draws.random();

  baseline(): SimulatedVersion {
    const level = this.#scale.levelOf(firstScore);
    const items = Float64Array.from(
      { length: this.#world.items },
      () => level + itemSpread * this.#draws.normal(),
    );
    return this.#version(firstScore, items);
  }

  candidate(parent: SimulatedVersion, generation: number): SimulatedVersion {
    const { better, worse, size, sizes, goodFirst } = this.#world;
    const u = this.random();
    const much = sizes === "equal" ? size : -size * Math.log(1 - this.random());
    const isBetter = goodFirst === true && generation > 0 ? false : u < better;
    return this.changed(parent, isBetter ? much : u > 1 - worse ? -much : 0);
  }

  /** A version whose true score differs by so much. */
  changed(parent: SimulatedVersion, by: number): SimulatedVersion {
    const truth = by === 0 ? parent.truth : Math.min(bestScore, Math.max(0.02, parent.truth + by));
    const [before, after] = [this.#scale.levelOf(parent.truth), this.#scale.levelOf(truth)];
    const [keep, fresh] = [Math.sqrt(1 - redrawn), Math.sqrt(redrawn) * itemSpread];
    const items = parent.items.map((x) => after + keep * (x - before) + fresh * this.#draws.normal());
    // What changes nothing leaves how its seeds differ as it was.
    return this.#version(truth, items, by === 0 ? parent.deviations : undefined);
  }

  #version(truth: number, items: Float64Array, inherited?: readonly number[]): SimulatedVersion {
    const unequal = this.#world.unequalSeeds ?? 0;
    const seedEffect = this.#seedSpread * (1 + unequal * (2 * this.random() - 1));
    const deviations = this.#world.asMeasured === true ? (inherited ?? this.#draws.pick(measuredSeeds)) : [];
    return { name: `v${this.#versions++}`, truth, items, seedEffect, deviations, outcomes: [], seeds: 0 };
  }

  /** Trains one more seed and evaluates it. */
  train(version: SimulatedVersion): void {
    const shift = this.#shift(version);
    version.outcomes = this.#evaluated(version, { shift, seed: ++version.seeds, into: version.outcomes });
  }

  /** What one seed adds to the log odds of all items. */
  #shift({ seedEffect, deviations, truth }: SimulatedVersion): number {
    if (deviations.length === 0) return seedEffect * this.#draws.normal();
    const score = truth + this.#draws.pick(deviations) / 100;
    const level = this.#scale.levelOf(Math.min(mostOfSeed, Math.max(leastOfSeed, score)));
    return level - this.#scale.levelOf(truth);
  }

  /** Checkpoints of one training: the seed's effect is that of all of them, and the score grows to the version's. */
  checkpoints(version: SimulatedVersion, levels: readonly number[]): (readonly ItemOutcomes[])[] {
    const shift = version.seedEffect * this.#draws.normal();
    return levels.map((level) => this.#evaluated(version, { shift: shift + level, seed: 1, into: [] }));
  }

  #evaluated(
    { items }: SimulatedVersion,
    { shift, seed, into }: { shift: number; seed: number; into: readonly ItemOutcomes[] },
  ): ItemOutcomes[] {
    const { samples } = this.#world;
    return Array.from(items, (x, i) => {
      const p = 1 / (1 + Math.exp(-(x + shift + seedByItem * this.#draws.normal())));
      const pass = this.#draws.passes(p, samples);
      const counts = { pass, fail: samples - pass, unknown: 0 };
      const before = into[i];
      return {
        item: String(i),
        pass: pass + (before?.pass ?? 0),
        fail: counts.fail + (before?.fail ?? 0),
        unknown: 0,
        bySeed: [...(before?.bySeed ?? []), { seed, ...counts }],
      };
    });
  }
}
