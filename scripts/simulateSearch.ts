/**
 * A trial of the search's beliefs: in which share of a budget it finds the best that a random order of the same edits finds.
 * `npx tsx scripts/simulateSearch.ts [--seeds 200]`. Nothing is trained: effects are drawn, and measured with an error.
 */
import { parseArgs } from "node:util";
import { seededRandom, shuffled } from "../server/src/base/random.ts";
import { caseEdits, type Case } from "../server/src/memory/cases/case.ts";
import { beliefsFrom, expectedImprovement } from "../server/src/proposals/search/belief.ts";
import type { Factor } from "../shared/spec/common.ts";

const { values: options } = parseArgs({ options: { seeds: { type: "string", default: "200" } } });

const factors: readonly Factor[] = ["reward", "optimisation", "environment", "sampling", "data"];
const [placesPerFactor, valuesPerPlace, trainings] = [3, 4, 12] as const;
/** Standard deviations of the parts of an effect, and of the error of its measurement: points / 100. */
const worlds = {
  "effects shared by factor and place": { factor: 0.02, place: 0.03, value: 0.015, error: 0.02 },
  "effects shared by place alone": { factor: 0, place: 0.03, value: 0.02, error: 0.02 },
  "nothing shared": { factor: 0, place: 0, value: 0.04, error: 0.02 },
} as const;

interface Option {
  readonly factor: Factor;
  readonly path: string;
  readonly to: number;
  readonly effect: number;
  readonly measured: number;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function drawWorld(
  seed: number,
  { factor: f, place: p, value: v, error }: (typeof worlds)[keyof typeof worlds],
): Option[] {
  const random = seededRandom(seed * 7919 + 13);
  return factors.flatMap((factor) => {
    const ofFactor = f * normal(random);
    return Array.from({ length: placesPerFactor }, (_, place) => {
      const ofPlace = p * normal(random);
      return Array.from({ length: valuesPerPlace }, (_, i): Option => {
        const effect = ofFactor + ofPlace + v * normal(random);
        const to = 1.5 + i;
        return { factor, path: `${factor}.p${place}`, to, effect, measured: effect + error * normal(random) };
      });
    }).flat();
  });
}

const editOf = ({ path, to }: Option) => caseEdits([{ file: "train.yaml", path, from: 1, to }]);

function caseOf(one: Option, i: number, error: number): Case {
  const { factor, measured } = one;
  return {
    ...{
      version: `v${i}`,
      parent: "v1",
      factor,
      template: null,
      triggers: ["low-score"],
      edits: editOf(one),
    },
    profile: { rates: new Map(), alerts: [] },
    effect: {
      ...{ difference: measured, low: measured - 1.96 * error, high: measured + 1.96 * error },
      ...{ confidence: 0.95, error },
    },
    ...{ decision: "reject", ended: "noise", seconds: null },
  };
}

/** The true effects of what is tried, in the order in which the search tries it. */
function searched(world: readonly Option[], error: number, seed: number): number[] {
  const open = shuffled(world, seededRandom(seed * 31 + 5));
  const cases: Case[] = [];
  const found: number[] = [];
  while (open.length > 0) {
    const believe = beliefsFrom(cases);
    const worth = open.map((one) =>
      expectedImprovement(
        believe({
          parts: [{ factor: one.factor, template: "", edits: editOf(one) }],
          triggers: ["low-score"],
          ...{ declared: null, backtest: null },
        }),
      ),
    );
    const best = worth.indexOf(Math.max(...worth));
    const [taken] = open.splice(best, 1);
    if (taken === undefined) break;
    cases.push(caseOf(taken, cases.length, error));
    found.push(taken.effect);
  }
  return found;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

/** The trainings until an order has reached a score, as a share of the budget in which the random order found it. */
const share = (order: readonly number[], best: number): number =>
  (order.findIndex((effect) => effect >= best) + 1) / trainings;

const seeds = Number(options.seeds);
for (const [kind, spread] of Object.entries(worlds)) {
  const all = Array.from({ length: seeds }, (_, seed) => {
    const world = drawWorld(seed, spread);
    const orderOf = (stream: number): number[] =>
      shuffled(world, seededRandom(seed * 17 + stream)).map(({ effect }) => effect);
    const best = Math.max(...orderOf(3).slice(0, trainings));
    return { search: share(searched(world, spread.error, seed), best), random: share(orderOf(11), best) };
  });
  const of = (who: "search" | "random"): string => {
    const shares = all.map((one) => one[who]);
    const random = seededRandom(1);
    const resampled = Array.from({ length: 500 }, () =>
      median(shares.map(() => shares[Math.floor(random() * seeds)] ?? NaN)),
    ).sort((a, b) => a - b);
    const [low, high] = [resampled[12] ?? NaN, resampled[487] ?? NaN];
    return `${median(shares).toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}], at most half in ${shares.filter((one) => one <= 0.5).length}`;
  };
  process.stdout.write(
    `${kind}, ${seeds} worlds: search ${of("search")}; another random order ${of("random")}\n`,
  );
}
