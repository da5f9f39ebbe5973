import { seededRandom, shuffled } from "../base/random.ts";

/** What is known of an item: rollouts that passed, and that failed. */
export interface ItemRecord {
  readonly item: string;
  readonly passes: number;
  readonly fails: number;
}

export interface CurriculumPlan {
  /** Items of a step, and rollouts of each. */
  readonly prompts: number;
  readonly group: number;
  readonly steps: number;
  /** The gate lets in items whose pass rate lies in this range, both ends included. */
  readonly keep: readonly [low: number, high: number];
  readonly seed: number;
}

export const samplerKinds = ["uniform", "easy-first", "gate", "weighted"] as const;
export type SamplerKind = (typeof samplerKinds)[number];

/** What a sampler would have drawn, from pass rates as they are in the archive. */
export interface SamplerReplay {
  readonly kind: SamplerKind;
  /** Items that it can ever draw. */
  readonly admitted: number;
  /** Expected groups of a step in which one rollout passes and another fails: mean, and the fewest and most of any step. */
  readonly live: { readonly mean: number; readonly least: number; readonly most: number } | null;
  /** Steps in which less than half of the groups are expected to be live. */
  readonly starved: number;
  /** Different items that were drawn, and how often the one that was drawn most. */
  readonly covered: number;
  readonly most: number;
}

/**
 * The probability that a group of an item has both outcomes: 1 − E[p^k] − E[(1 − p)^k] with p as a Beta distribution of what
 * was seen (Jeffreys' prior), so that one rollout that passed does not make a pass rate of 1.
 */
export function liveProbability({ passes, fails }: ItemRecord, group: number): number {
  const all = (a: number, b: number): number => {
    let product = 1;
    for (let i = 0; i < group; i++) product *= (a + i) / (a + b + i);
    return product;
  };
  const [a, b] = [passes + 0.5, fails + 0.5];
  return 1 - all(a, b) - all(b, a);
}

const passRate = ({ passes, fails }: ItemRecord): number => passes / (passes + fails);

/** Draws every kind of sampler; items without a known outcome take no part. */
export function replaySamplers(items: readonly ItemRecord[], plan: CurriculumPlan): SamplerReplay[] {
  const known = items.filter(({ passes, fails }) => passes + fails > 0);
  return samplerKinds.map((kind) => replay(kind, known, plan));
}

function replay(kind: SamplerKind, known: readonly ItemRecord[], plan: CurriculumPlan): SamplerReplay {
  const [low, high] = plan.keep;
  const admitted = known.filter((item) => {
    if (kind === "gate") return passRate(item) >= low && passRate(item) <= high;
    return kind !== "weighted" || weightOf(item) > 0;
  });
  const nothing = { kind, admitted: admitted.length, starved: plan.steps, covered: 0, most: 0 };
  if (admitted.length === 0) return { ...nothing, live: null };
  const draw = drawerOf(kind, admitted, seededRandom(plan.seed));
  const visits = new Map<string, number>();
  const chances = new Map(admitted.map((item) => [item.item, liveProbability(item, plan.group)]));
  const live: number[] = [];
  for (let step = 0; step < plan.steps; step++) {
    let expected = 0;
    for (let i = 0; i < plan.prompts; i++) {
      const item = draw(plan.steps === 1 ? 1 : step / (plan.steps - 1));
      visits.set(item.item, (visits.get(item.item) ?? 0) + 1);
      expected += chances.get(item.item) ?? 0;
    }
    live.push(expected);
  }
  return {
    kind,
    admitted: admitted.length,
    live: {
      mean: live.reduce((a, b) => a + b, 0) / live.length,
      least: Math.min(...live),
      most: Math.max(...live),
    },
    starved: live.filter((n) => n < plan.prompts / 2).length,
    covered: visits.size,
    most: Math.max(...visits.values()),
  };
}

/** As the variance of one outcome, which is 0 where all were the same. */
const weightOf = (item: ItemRecord): number => passRate(item) * (1 - passRate(item));

/** Gives the next item; `progress` goes from 0 to 1. */
function drawerOf(
  kind: SamplerKind,
  items: readonly ItemRecord[],
  random: () => number,
): (progress: number) => ItemRecord {
  if (kind === "weighted") return weightedDrawer(items, random);
  const easiestFirst = items.toSorted((a, b) => passRate(b) - passRate(a));
  let queue: ItemRecord[] = [];
  return (progress) => {
    if (queue.length === 0) {
      const share = kind === "easy-first" ? 0.15 + 0.85 * progress : 1;
      queue = shuffled(easiestFirst.slice(0, Math.max(1, Math.ceil(share * items.length))), random);
    }
    const next = queue.pop();
    if (next === undefined) throw new Error("a queue without items");
    return next;
  };
}

function weightedDrawer(items: readonly ItemRecord[], random: () => number): () => ItemRecord {
  let total = 0;
  const upTo = items.map((item) => (total += weightOf(item)));
  return () => {
    const at = random() * total;
    let [from, to] = [0, upTo.length - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((upTo[middle] ?? 0) > at) to = middle;
      else from = middle + 1;
    }
    const item = items[from];
    if (item === undefined) throw new Error("a draw outside of the items");
    return item;
  };
}
