import { replicate } from "../../../server/src/decision/testing/replicate.ts";
import { screen } from "../../../server/src/decision/testing/screen.ts";
import { seedNoise } from "../../../server/src/decision/testing/seedNoise.ts";
import type { SeedNoise, TestingRules } from "../../../server/src/decision/testing/testing.ts";
import { Worlds, type SimulatedVersion, type World } from "./world.ts";

/** One candidate whose chance is `chance`, and what is known of seeds when it comes: `others` versions with 3 seeds each. */
export interface LookSetting {
  readonly chance: number;
  readonly seeds: number;
  readonly calibrationSeeds: number;
  readonly others: number;
}

/** How many of so many candidates that are exactly as good as their parent are kept by one of their looks. */
export function keptAlthoughAsGood(
  world: World,
  { chance, seeds, calibrationSeeds, others }: LookSetting,
  { count, seed }: { readonly count: number; readonly seed: number },
): number {
  const worlds = new Worlds(world, seed);
  const rules: TestingRules = {
    ...{ metric: "macro", errorRate: chance / 0.9, seeds, candidates: 1, margin: 0.02 },
  };
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const parent = worlds.baseline();
    for (let s = 0; s < calibrationSeeds; s++) worlds.train(parent);
    const all: SimulatedVersion[] = [parent];
    for (let other = 0; other < others; other++) {
      const version = worlds.changed(parent, 0);
      for (let s = 0; s < 3; s++) worlds.train(version);
      all.push(version);
    }
    if (isKept(worlds, { parent, all, rules })) kept++;
  }
  return kept / count;
}

/** Screens and replicates one candidate as the product does. */
function isKept(
  worlds: Worlds,
  of: {
    readonly parent: SimulatedVersion;
    readonly all: readonly SimulatedVersion[];
    readonly rules: TestingRules;
  },
): boolean {
  const { parent, rules } = of;
  const candidate = worlds.changed(parent, 0);
  const noise = (): SeedNoise =>
    seedNoise(
      [...of.all, candidate].filter(({ seeds }) => seeds > 1),
      rules.metric,
    );
  worlds.train(candidate);
  if (screen({ candidate, parent, noise: noise(), rules }).verdict !== "screened") return false;
  for (let looksDone = 0; looksDone < rules.seeds - 1; looksDone++) {
    worlds.train(candidate);
    if (parent.seeds < candidate.seeds) worlds.train(parent);
    const { verdict } = replicate({
      ...{ candidate, parent, noise: noise(), rules, place: 1, keptBefore: 0 },
      ...{ looksDone, looksAtMost: rules.seeds - 1 },
    });
    if (verdict !== "another_seed") return verdict === "keep";
  }
  return false;
}
