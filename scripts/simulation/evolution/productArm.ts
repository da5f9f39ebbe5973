import type { Comparison } from "../../../shared/ledger/measures.ts";
import { replicate } from "../../../server/src/decision/testing/replicate.ts";
import { screen } from "../../../server/src/decision/testing/screen.ts";
import { seedNoise } from "../../../server/src/decision/testing/seedNoise.ts";
import type { Replicated, SeedNoise, TestingRules } from "../../../server/src/decision/testing/testing.ts";
import { worseInARow } from "../../../server/src/loop/steps/doubtChampion.ts";
import type { SimulatedVersion, World, Worlds } from "./world.ts";

/** A version that an arm kept, with what is true and what the arm says of it. */
export interface Kept {
  readonly truth: number;
  readonly said: { readonly difference: number; readonly low: number; readonly high: number } | null;
}

export interface Evolved {
  readonly kept: readonly Kept[];
  /** The last comparison of every candidate, whatever came of it. */
  readonly last: readonly Kept[];
  readonly trainings: number;
  /** What the last parent is truly better than the baseline. */
  readonly gain: number;
}

const measured = (version: SimulatedVersion): number =>
  version.outcomes.reduce((sum, { pass, fail }) => sum + pass / (pass + fail), 0) / version.outcomes.length;

export function bestOf(versions: readonly SimulatedVersion[]): SimulatedVersion | undefined {
  return versions.toSorted((a, b) => measured(b) - measured(a))[0];
}

/** What a project sets about its tests: `testing.seeds` and `testing.calibrationSeeds`. */
export interface Seeds {
  readonly seeds: number;
  readonly calibrationSeeds: number;
  /** False: a version that was kept is never looked at again (server/src/loop/steps/doubtChampion.ts). */
  readonly doubts?: boolean;
}

/** The rules of a project with this world's budgets. */
export const rulesOf = ({ generations, candidates }: World, seeds: number): TestingRules => ({
  ...{ metric: "macro", errorRate: 0.05, seeds, candidates: generations * candidates, margin: 0.02 },
});

/** One evolution as the product tests its candidates: calibrate, screen, replicate; the best kept is the next parent. */
export function evolveTested(worlds: Worlds, world: World, seeds: Seeds): Evolved {
  const evolution = new TestedEvolution(worlds, world, seeds);
  for (let generation = 0; generation < world.generations; generation++) evolution.step(generation);
  return evolution.outcome();
}

/** What the last look at each candidate said. */
type Verdicts = Map<SimulatedVersion, Comparison["verdict"] | undefined>;
type Pending = { readonly version: SimulatedVersion; readonly place: number };

class TestedEvolution {
  readonly #worlds: Worlds;
  readonly #world: World;
  readonly #seeds: Seeds;
  readonly #rules: TestingRules;
  readonly #baseline: SimulatedVersion;
  readonly #all: SimulatedVersion[];
  readonly #kept: Kept[] = [];
  readonly #last: Kept[] = [];
  /** The baseline and what was kept: one of them is the parent of the next generation. */
  readonly #parents: SimulatedVersion[];
  #parent: SimulatedVersion;
  #worse = 0;
  #trainings = 0;
  #place = 0;

  constructor(worlds: Worlds, world: World, seeds: Seeds) {
    this.#worlds = worlds;
    this.#world = world;
    this.#seeds = seeds;
    this.#rules = rulesOf(world, seeds.seeds);
    this.#baseline = this.#parent = worlds.baseline();
    this.#all = [this.#baseline];
    this.#parents = [this.#baseline];
    this.#trainTo(this.#baseline, seeds.calibrationSeeds);
  }

  outcome(): Evolved {
    const gain = this.#parent.truth - this.#baseline.truth;
    return { kept: this.#kept, last: this.#last, trainings: this.#trainings, gain };
  }

  step(generation: number): void {
    if (this.#worse >= worseInARow && this.#parent !== this.#baseline && this.#seeds.doubts !== false)
      this.#doubt();
    const from = this.#parent;
    const candidates = Array.from({ length: this.#world.candidates }, (): Pending => ({
      version: this.#worlds.candidate(from, generation),
      place: ++this.#place,
    }));
    for (const { version } of candidates) this.#train(version);
    this.#all.push(...candidates.map(({ version }) => version));
    const verdicts: Verdicts = new Map();
    const good = this.#replicated(this.#screened(candidates, from, verdicts), from, verdicts);
    this.#parents.push(...good);
    const best = bestOf(good);
    if (best !== undefined) this.#parent = best;
    for (const { version } of candidates)
      this.#worse = verdicts.get(version) === "regressed" ? this.#worse + 1 : 0;
    if (best !== undefined) this.#worse = 0;
  }

  /** The parent gets as many seeds as the baseline has, and whoever scores most then is the parent. */
  #doubt(): void {
    this.#trainTo(this.#parent, this.#seeds.calibrationSeeds);
    this.#worse = 0;
    this.#parent = bestOf(this.#parents) ?? this.#parent;
  }

  #train(version: SimulatedVersion): void {
    this.#worlds.train(version);
    this.#trainings++;
  }

  #trainTo(version: SimulatedVersion, seeds: number): void {
    while (version.seeds < seeds) this.#train(version);
  }

  /** Versions with one seed say nothing about seeds, and there are many. */
  #noise(): SeedNoise {
    return seedNoise(
      this.#all.filter(({ seeds }) => seeds > 1),
      this.#rules.metric,
    );
  }

  #screened(candidates: readonly Pending[], from: SimulatedVersion, verdicts: Verdicts): Pending[] {
    const [noise, rules] = [this.#noise(), this.#rules];
    return candidates.filter(({ version }) => {
      const { verdict, comparison } = screen({ candidate: version, parent: from, noise, rules });
      verdicts.set(version, comparison?.verdict);
      if (verdict === "reject") this.#last.push({ truth: version.truth - from.truth, said: comparison });
      return verdict === "screened";
    });
  }

  /** Those that are kept, after further seeds. */
  #replicated(screened: readonly Pending[], from: SimulatedVersion, verdicts: Verdicts): SimulatedVersion[] {
    const good: SimulatedVersion[] = [];
    const rules = this.#rules;
    const keptBefore = this.#kept.length;
    let pending = screened;
    for (let looksDone = 0; pending.length > 0; looksDone++) {
      const fewest = Math.min(...pending.map(({ version }) => version.seeds));
      for (const { version } of pending) this.#train(version);
      if (from.seeds <= fewest) this.#train(from);
      const noise = this.#noise();
      pending = pending.filter(({ version, place }) => {
        const found: Replicated = replicate({
          ...{ candidate: version, parent: from, noise, rules, place, keptBefore, looksDone },
          looksAtMost: rules.seeds - 1,
        });
        verdicts.set(version, found.comparison?.verdict);
        const told: Kept = { truth: version.truth - from.truth, said: found.comparison };
        if (found.verdict !== "another_seed") this.#last.push(told);
        if (found.verdict === "keep") {
          good.push(version);
          this.#kept.push(told);
        }
        return found.verdict === "another_seed";
      });
    }
    return good;
  }
}
