import { replicate } from "../../../server/src/decision/testing/replicate.ts";
import { screen } from "../../../server/src/decision/testing/screen.ts";
import { seedNoise } from "../../../server/src/decision/testing/seedNoise.ts";
import type { Replicated, SeedNoise, TestingRules } from "../../../server/src/decision/testing/testing.ts";
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
}

/** The rules of a project with this world's budgets. */
export const rulesOf = ({ generations, candidates }: World, seeds: number): TestingRules => ({
  ...{ metric: "macro", errorRate: 0.05, seeds, candidates: generations * candidates, margin: 0.02 },
});

/** One evolution as the product tests its candidates: calibrate, screen, replicate; the best kept is the next parent. */
export function evolveTested(worlds: Worlds, world: World, { seeds, calibrationSeeds }: Seeds): Evolved {
  const rules = rulesOf(world, seeds);
  const baseline = worlds.baseline();
  const all = [baseline];
  let trainings = 0;
  const train = (version: SimulatedVersion): void => {
    worlds.train(version);
    trainings++;
  };
  // Versions with one seed say nothing about seeds, and there are many.
  const noiseOf = (): SeedNoise =>
    seedNoise(
      all.filter(({ seeds: of }) => of > 1),
      rules.metric,
    );
  for (let i = 0; i < calibrationSeeds; i++) train(baseline);
  const kept: Kept[] = [];
  const last: Kept[] = [];
  let parent = baseline;
  let place = 0;
  for (let generation = 0; generation < world.generations; generation++) {
    const keptBefore = kept.length;
    const from = parent;
    let pending = Array.from({ length: world.candidates }, () => ({
      version: worlds.candidate(from, generation),
      place: ++place,
    }));
    for (const { version } of pending) train(version);
    all.push(...pending.map(({ version }) => version));
    const noise = noiseOf();
    pending = pending.filter(({ version }) => {
      const { verdict, comparison } = screen({ candidate: version, parent: from, noise, rules });
      if (verdict === "reject") last.push({ truth: version.truth - from.truth, said: comparison });
      return verdict === "screened";
    });
    const good: SimulatedVersion[] = [];
    for (let looksDone = 0; pending.length > 0; looksDone++) {
      const fewest = Math.min(...pending.map(({ version }) => version.seeds));
      for (const { version } of pending) train(version);
      if (from.seeds <= fewest) train(from);
      const now = noiseOf();
      pending = pending.filter(({ version, place: at }) => {
        const found: Replicated = replicate({
          ...{ candidate: version, parent: from, noise: now, rules, place: at, keptBefore, looksDone },
          looksAtMost: rules.seeds - 1,
        });
        const told: Kept = { truth: version.truth - from.truth, said: found.comparison };
        if (found.verdict !== "another_seed") last.push(told);
        if (found.verdict === "keep") {
          good.push(version);
          kept.push(told);
        }
        return found.verdict === "another_seed";
      });
    }
    parent = bestOf(good) ?? parent;
  }
  return { kept, last, trainings, gain: parent.truth - baseline.truth };
}
