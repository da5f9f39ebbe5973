import type { Effort } from "../tables.ts";
import { pointsCell, percentCell, table } from "../tableText.ts";
import { arms, type Arm, type Arms } from "./arms.ts";
import { equivalenceOutcome } from "./equivalenceOutcome.ts";
import { keptAlthoughAsGood } from "./lookOutcome.ts";
import { raceOutcome } from "./raceOutcome.ts";
import { evolutionsPerWorld, reportedWorlds } from "./worlds.ts";
import type { World } from "./world.ts";

const percentOrNone = (share: number | null): string => (share === null ? "none kept" : percentCell(share));
const within = ({ share, shareLow, shareHigh }: Arm): string =>
  `${percentCell(share)} [${percentCell(shareLow)}, ${percentCell(shareHigh)}]`;

/** Everything of docs/statistics.md about whole evolutions, by the name of its marks. */
export function evolutionTables(effort: Effort): Readonly<Record<string, readonly string[]>> {
  const found = Object.entries(reportedWorlds).map(([name, of], i) => {
    effort.say(`evolutions: ${name}`);
    return { name, arms: arms(of, { count: evolutionsPerWorld, seed: 4000 + 10 * i }) };
  });
  return {
    kept: keptTable(found),
    budget: budgetTable(found),
    stopping: stoppingTable(found),
    racing: racingTable(effort),
    equivalence: equivalenceTable(effort),
    looks: looksTable(effort),
  };
}

type Found = readonly { readonly name: string; readonly arms: Arms }[];

function keptTable(found: Found): string[] {
  return table(
    [
      "candidates",
      "kept in an evolution",
      "no better, mean share",
      "of all kept",
      "one seed each: mean share",
      "of all kept",
    ],
    found.map(({ name, arms: { tested, oneSeed } }) => [
      name,
      (tested.found + tested.wrong).toFixed(2),
      within(tested),
      percentOrNone(tested.pooled),
      within(oneSeed),
      percentOrNone(oneSeed.pooled),
    ]),
  );
}

function budgetTable(found: Found): string[] {
  const each = ({ found: n, gain }: Arm): string => `${n.toFixed(2)}, ${pointsCell(gain)}`;
  return table(
    ["candidates", "trainings", "tested", "one seed each", "one seed each, with at most 5 % wrong"],
    found.map(({ name, arms: { tested, oneSeed, honest } }) => [
      name,
      tested.trainings.toFixed(1),
      each(tested),
      each(oneSeed),
      honest.pooled !== null && honest.pooled > 0.05 ? "not possible" : each(honest),
    ]),
  );
}

function stoppingTable(found: Found): string[] {
  return table(
    ["candidates", "last interval of each", "interval of the kept", "kept seem better by", "one seed each"],
    found.map(({ name, arms: { tested, oneSeed } }) => [
      name,
      percentOrNone(tested.covered),
      percentOrNone(tested.keptCovered),
      tested.excess === null ? "none kept" : pointsCell(tested.excess),
      oneSeed.excess === null ? "none kept" : pointsCell(oneSeed.excess),
    ]),
  );
}

const world = (seedSd: number, items = 120): World => ({
  ...{
    items,
    samples: 4,
    seedSd,
    better: 0,
    worse: 0,
    size: 0,
    sizes: "equal",
    generations: 5,
    candidates: 4,
  },
});

function racingTable(effort: Effort): string[] {
  const rows = [0.01, 0.03, 0.06].flatMap((seedSd) =>
    [
      { says: "2 seeds of the baseline", noiseVersions: 1, seedsEach: 2 },
      { says: "3 seeds of 4 versions", noiseVersions: 4, seedsEach: 3 },
    ].map(({ says, ...noise }) => {
      effort.say(`racing, seeds differ by ${seedSd}`);
      const of = (difference: number): string => {
        const seed = 6000 + 1000 * seedSd + noise.noiseVersions;
        const { stopped, saved } = raceOutcome(world(seedSd), { difference, ...noise }, { count: 500, seed });
        return difference === 0 ? percentCell(stopped) : `${percentCell(stopped)} (${percentCell(saved)})`;
      };
      return [`${100 * seedSd}`, says, of(0), of(-0.08), of(-0.2)];
    }),
  );
  return table(
    ["seeds differ by", "known from", "as good: stopped", "worse by 8 points", "worse by 20"],
    rows,
  );
}

function equivalenceTable(effort: Effort): string[] {
  const rows = [
    [0.01, 120, 0.05, 3],
    [0.01, 500, 0.03, 3],
    [0.03, 120, 0.05, 3],
    [0.03, 120, 0.05, 6],
    [0.03, 500, 0.05, 6],
  ].map(([seedSd = 0, items = 0, margin = 0, seeds = 0]) => {
    effort.say(`equivalence, seeds differ by ${seedSd}, ${items} items`);
    const of = (worth: number): ReturnType<typeof equivalenceOutcome> =>
      equivalenceOutcome(world(seedSd, items), { worth, margin, seeds }, { count: 400, seed: 7000 + seeds });
    const [atMargin, nothing, much] = [of(margin), of(0), of(3 * margin)];
    return [
      ...[`${100 * seedSd}`, String(items), `${100 * margin}`, String(seeds)],
      ...[atMargin.not_needed, nothing.not_needed, nothing.needed, much.needed].map(percentCell),
    ];
  });
  return table(
    [
      "seeds differ by",
      "items",
      "margin",
      "seeds each",
      "worth the margin: not needed",
      "worth nothing: not needed",
      "worth nothing: needed",
      "worth 3 margins: needed",
    ],
    rows,
  );
}

/** How often one candidate that is as good as its parent is kept, in percent, by the chance that it was given. */
function looksTable(effort: Effort): string[] {
  const chances = [0.005, 0.02, 0.05];
  const rows = [0.01, 0.03, 0.06].flatMap((seedSd) =>
    [0, 8].map((others) => {
      effort.say(`looks, seeds differ by ${seedSd}, ${others} other versions`);
      const kept = chances.map((chance) =>
        keptAlthoughAsGood(
          world(seedSd),
          { chance, seeds: 8, calibrationSeeds: 4, others },
          { count: 4000, seed: 8000 + others },
        ),
      );
      const known = `4 seeds of the parent${others === 0 ? "" : ` and 3 of ${others} others`}`;
      return [`${100 * seedSd}`, known, ...kept.map((share) => (100 * share).toFixed(2))];
    }),
  );
  return table(
    ["seeds differ by", "known from", ...chances.map((chance) => `chance ${(100 * chance).toFixed(1)}`)],
    rows,
  );
}
