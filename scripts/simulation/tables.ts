import { meanMethods } from "../../server/src/statistics/intervals/meanInterval.ts";
import { iqmCoverage, trueIqmDifference } from "./iqmCoverage.ts";
import { itemCoverage, type ItemCoverage, type ItemScenario } from "./itemCoverage.ts";
import { pickOutcome } from "./pickCoverage.ts";
import type { Population } from "./population.ts";
import { powerOutcome } from "./powerCheck.ts";
import {
  datasetsFor,
  itemCounts,
  pairPopulations,
  resamplesPerDataset,
  sampleCounts,
  scorePopulations,
  seedCounts,
  sparsePopulation,
} from "./scenarios.ts";
import { seedCoverage, type SeedScenario } from "./seedCoverage.ts";
import { percentCell as percent, pointsCell as points, table } from "./tableText.ts";

/** How much is simulated: all of it, or as little as shows whether the code still answers the same. */
export interface Effort {
  readonly datasets: (items: number) => number;
  readonly resamples: number;
  readonly say: (what: string) => void;
}

export const fullEffort = (say: (what: string) => void): Effort => ({
  datasets: datasetsFor,
  resamples: resamplesPerDataset,
  say,
});

const range = (values: readonly number[]): string =>
  `${percent(Math.min(...values))} – ${percent(Math.max(...values))}`;

type Populations = Readonly<Record<string, Population>>;

function coverages(
  quantity: ItemScenario["quantity"],
  populations: Populations,
  effort: Effort,
): Map<number, ItemCoverage[]> {
  const found = new Map<number, ItemCoverage[]>();
  for (const items of itemCounts) {
    effort.say(`${quantity}, ${items} items`);
    const rows: ItemCoverage[] = [];
    for (const [p, population] of Object.values(populations).entries())
      for (const samples of sampleCounts)
        rows.push(
          itemCoverage(
            { quantity, population, items, samples },
            {
              datasets: effort.datasets(items),
              resamples: effort.resamples,
              seed: 1 + items * 100 + samples * 10 + p,
            },
          ),
        );
    found.set(items, rows);
  }
  return found;
}

function methodTable(found: Map<number, ItemCoverage[]>): string[] {
  return table(
    ["items", ...meanMethods, "what the product gives"],
    [...found].map(([items, rows]) => [
      String(items),
      ...meanMethods.map((method) => range(rows.map((r) => r.methods[method]))),
      `${range(rows.map((r) => r.product))}${rows.every((r) => r.trusted < 0.01) ? ", too few items" : ""}`,
    ]),
  );
}

function sparseTable(effort: Effort): string[] {
  effort.say("few items differ");
  const rows = [20, 50, 100, 200, 500].map((items) => {
    const found = itemCoverage(
      { quantity: "difference", population: sparsePopulation, items, samples: 1 },
      { datasets: effort.datasets(items), resamples: effort.resamples, seed: 77 + items },
    );
    return [
      String(items),
      percent(found.methods.expanded),
      percent(found.product),
      percent(1 - found.trusted),
      percent(found.wrong),
    ];
  });
  return table(["items", "resampling alone", "product", "exact bound in", "wrong verdict"], rows);
}

function seedTable(effort: Effort): string[] {
  const rows: string[][] = [];
  for (const seeds of seedCounts)
    for (const items of [50, 200]) {
      effort.say(`${seeds} seeds, ${items} items`);
      const found = [0, 0.1, 0.2].flatMap((seedEffect, e) =>
        ["no difference", "a gain"].map((name, p) =>
          seedCoverage(
            { population: pairPopulations[name] ?? sparsePopulation, items, samples: 4, seeds, seedEffect },
            {
              datasets: Math.ceil(effort.datasets(items) / 2),
              resamples: effort.resamples,
              seed: 500 + seeds * 100 + items + e * 10 + p,
            },
          ),
        ),
      );
      rows.push([
        String(seeds),
        String(items),
        range(found.map((f) => f.itemsOnly)),
        range(found.map((f) => f.pigeonhole)),
        `${range(found.map((f) => f.product))}${seeds === 1 ? ", one seed" : ""}`,
      ]);
    }
  return table(["seeds each", "items", "items only", "two-level bootstrap", "what the product gives"], rows);
}

function iqmTable(effort: Effort): string[] {
  const rows: string[][] = [];
  for (const seeds of [1, 3, 5])
    for (const items of [20, 50, 200]) {
      effort.say(`interquartile mean, ${seeds} seeds, ${items} items`);
      const found = iqmScenarios(seeds).map((scenario, s) =>
        iqmCoverage({ ...scenario, items, seeds }, trueIqmDifference(scenario), {
          datasets: Math.ceil(effort.datasets(items) / 2),
          resamples: effort.resamples,
          seed: 700 + seeds * 100 + items + s,
        }),
      );
      rows.push([
        String(seeds),
        String(items),
        range(found.map((f) => f.product)),
        range(found.map((f) => f.wrong)),
      ]);
    }
  return table(["seeds each", "items", "what the product gives", "wrong direction or none"], rows);
}

/** With one seed there is nothing that tells how much seeds differ, so that they do not. */
function iqmScenarios(seeds: number): SeedScenario[] {
  return (seeds === 1 ? [0] : [0, 0.2]).flatMap((seedEffect) =>
    ["no difference", "a gain"].flatMap((name) =>
      [1, 4].map((samples) => ({
        population: pairPopulations[name] ?? sparsePopulation,
        items: 1,
        samples,
        seeds: 1,
        seedEffect,
      })),
    ),
  );
}

function verdictTable(found: Map<number, ItemCoverage[]>): string[] {
  const names = Object.keys(pairPopulations);
  const perPopulation = sampleCounts.length;
  return table(
    ["items", "nothing differs: any verdict", "a gain: called a regression"],
    [...found].map(([items, rows]) => {
      const of = (name: string): readonly ItemCoverage[] => {
        const at = names.indexOf(name) * perPopulation;
        return rows.slice(at, at + perPopulation);
      };
      const none = [...of("no difference"), ...of("hardly different")].map((r) => r.wrong);
      return [String(items), range(none), range(of("a gain").map((r) => r.wrong))];
    }),
  );
}

function powerTable(effort: Effort): string[] {
  effort.say("power");
  const rows = [0.8, 0.9].flatMap((power) =>
    sampleCounts.map((samples) => {
      const { items, found } = powerOutcome(
        { population: pairPopulations["a gain"] ?? sparsePopulation, samples, power },
        { datasets: effort.datasets(0), resamples: effort.resamples, seed: 900 + samples },
      );
      return [percent(power), String(samples), String(items), percent(found)];
    }),
  );
  return table(["asked for", "samples", "items needed", "found with so many"], rows);
}

function pickTable(effort: Effort): string[] {
  const population = pairPopulations["no difference"] ?? sparsePopulation;
  const rows = [2, 4, 8, 20].map((versions) => {
    effort.say(`best of ${versions}`);
    const found = pickOutcome(
      { population, versions, items: 100, samples: 4 },
      { datasets: Math.ceil(effort.datasets(0) / 2), resamples: effort.resamples, seed: 300 + versions },
    );
    return [
      String(versions),
      points(found.raw),
      points(found.corrected),
      points(found.least),
      percent(found.plain),
      percent(found.simultaneous),
    ];
  });
  return table(
    [
      "equal versions",
      "excess of the best",
      "corrected",
      "less the most",
      "plain interval",
      "max-T interval",
    ],
    rows,
  );
}

/** Everything that docs/statistics.md shows, by the name of its marks. */
export function simulate(effort: Effort): Readonly<Record<string, readonly string[]>> {
  const differences = coverages("difference", pairPopulations, effort);
  return {
    differences: methodTable(differences),
    scores: methodTable(coverages("score", scorePopulations, effort)),
    sparse: sparseTable(effort),
    verdicts: verdictTable(differences),
    seeds: seedTable(effort),
    iqm: iqmTable(effort),
    power: powerTable(effort),
    picks: pickTable(effort),
  };
}
