import type { Comparison, Doubt } from "../../../shared/model/ledger.ts";
import { seededRandom } from "../base/random.ts";
import { iqm } from "./iqm.ts";
import { fewestItems } from "./itemInterval.ts";
import type { ItemOutcomes } from "./outcomes.ts";
import { commonItems, pairItems } from "./pairs.ts";
import { quantileSorted, type Interval } from "./quantile.ts";

/** The score of one item in one seed. */
interface Cell {
  readonly item: number;
  readonly seed: number;
  readonly score: number;
}
type Unknown = "out" | "pass" | "fail";

/**
 * Paired comparison b − a of the interquartile means over the cells items × seeds (Agarwal et al. 2021), a cell being the
 * share of passes of one item in one seed. Percentile bootstrap: items are drawn once for both versions, the seeds of each
 * on their own (Owen 2007). Null when no item has a known outcome in both.
 */
export function compareIqm(
  name: string,
  a: readonly ItemOutcomes[],
  b: readonly ItemOutcomes[],
  options: {
    readonly confidence: number;
    readonly candidates?: number;
    readonly resamples?: number;
    readonly seed?: number;
  },
): Comparison | null {
  const pairs = pairItems(a, b, "macro");
  if (pairs.length === 0) return null;
  const confidence = 1 - (1 - options.confidence) / Math.max(1, options.candidates ?? 1);
  const sampling = { confidence, resamples: options.resamples ?? 2000, seed: options.seed ?? 1 };
  const known = new Set(pairs.map((p) => p.item));
  const inPairs = (outcomes: readonly ItemOutcomes[]): ItemOutcomes[] =>
    outcomes.filter((o) => known.has(o.item));
  const all = commonItems(a, b);
  const table = (outcomes: readonly ItemOutcomes[], unknown: Unknown): Cells => cellsOf(outcomes, unknown);
  const [before, after] = [
    table(inPairs(all.map((o) => o.a)), "out"),
    table(inPairs(all.map((o) => o.b)), "out"),
  ];
  const interval = intervalOf(before, after, pairs.length, sampling);
  const small = pairs.length < fewestItems;
  const flat = interval.low === interval.high;
  // Without any spread, or with a handful of items, only that a score lies in [0, 1] is certain.
  const { low, high } = flat ? { low: -1, high: 1 } : interval;
  const verdict = small ? "inside_noise" : low > 0 ? "improved" : high < 0 ? "regressed" : "inside_noise";
  const unknown = all.some((o) => o.a.unknown + o.b.unknown > 0);
  const end = (ofA: Unknown, ofB: Unknown): Interval =>
    intervalOf(
      table(
        all.map((o) => o.a),
        ofA,
      ),
      table(
        all.map((o) => o.b),
        ofB,
      ),
      all.length,
      sampling,
    );
  const outer: [number, number] | null = unknown
    ? [Math.min(low, end("pass", "fail").low), Math.max(high, end("fail", "pass").high)]
    : null;
  const seeds: [number, number] = [before.seeds, after.seeds];
  return {
    against: name,
    difference: iqm(after.cells.map((c) => c.score)) - iqm(before.cells.map((c) => c.score)),
    low,
    high,
    confidence,
    verdict,
    items: pairs.length,
    itemsNeeded: null,
    method: flat ? "none: every resample says the same" : "percentile bootstrap over items and seeds",
    seeds,
    doubts: doubtsOf({ small, flat, items: pairs.length, seeds, verdict, outer }),
    ...(outer === null ? {} : { outer }),
  };
}

function doubtsOf(of: {
  readonly small: boolean;
  readonly flat: boolean;
  readonly items: number;
  readonly seeds: readonly [number, number];
  readonly verdict: Comparison["verdict"];
  readonly outer: readonly [number, number] | null;
}): Doubt[] {
  const { small, flat, items, seeds, verdict, outer } = of;
  const [ofA, ofB] = seeds;
  return [
    ...(items === 1 ? (["one_item"] as const) : small ? (["too_few_items"] as const) : []),
    ...(flat && items > 1 ? (["no_spread"] as const) : []),
    ...(ofA + ofB === 2 ? (["one_seed"] as const) : ofA + ofB < 6 ? (["few_seeds"] as const) : []),
    ...(verdict !== "inside_noise" && outer !== null && outer[0] <= 0 && outer[1] >= 0
      ? (["unknown_matter"] as const)
      : []),
  ];
}

interface Cells {
  /** Sorted by score, so that a resample needs no sorting of its own. */
  readonly cells: readonly Cell[];
  readonly seeds: number;
}

function cellsOf(outcomes: readonly ItemOutcomes[], unknown: Unknown): Cells {
  const seeds = new Map<number | null, number>();
  const cells: Cell[] = [];
  for (const [item, { bySeed, ...all }] of outcomes.entries())
    for (const { seed, pass, fail, unknown: open } of bySeed ?? [{ seed: null, ...all }]) {
      const passes = pass + (unknown === "pass" ? open : 0);
      const known = pass + fail + (unknown === "out" ? 0 : open);
      if (known === 0) continue;
      const at = seeds.get(seed) ?? seeds.size;
      seeds.set(seed, at);
      cells.push({ item, seed: at, score: passes / known });
    }
  return { cells: cells.sort((x, y) => x.score - y.score), seeds: seeds.size };
}

function intervalOf(
  a: Cells,
  b: Cells,
  items: number,
  { confidence, resamples, seed }: { confidence: number; resamples: number; seed: number },
): Interval {
  const random = seededRandom(seed);
  const draw = (n: number): Uint32Array => {
    const counts = new Uint32Array(n);
    for (let i = 0; i < n; i++) {
      const at = Math.floor(random() * n);
      counts[at] = (counts[at] ?? 0) + 1;
    }
    return counts;
  };
  const found: number[] = [];
  for (let r = 0; r < resamples; r++) {
    const drawn = draw(items);
    const [before, after] = [drawnIqm(a, drawn, draw(a.seeds)), drawnIqm(b, drawn, draw(b.seeds))];
    // A resample may miss every cell of a version when seeds have different items.
    if (before !== null && after !== null) found.push(after - before);
  }
  const sorted = Float64Array.from(found).sort();
  const tail = (1 - confidence) / 2;
  return { low: quantileSorted(sorted, tail), high: quantileSorted(sorted, 1 - tail) };
}

/** `iqm` of the cells, each as often as its item and its seed were drawn. */
function drawnIqm({ cells }: Cells, items: Uint32Array, seeds: Uint32Array): number | null {
  const weight = (c: Cell): number => (items[c.item] ?? 0) * (seeds[c.seed] ?? 0);
  let total = 0;
  for (const cell of cells) total += weight(cell);
  if (total === 0) return null;
  const cut = Math.floor(total / 4);
  let [at, sum] = [0, 0];
  for (const cell of cells) {
    const to = at + weight(cell);
    sum += cell.score * Math.max(0, Math.min(to, total - cut) - Math.max(at, cut));
    at = to;
  }
  return sum / (total - 2 * cut);
}
