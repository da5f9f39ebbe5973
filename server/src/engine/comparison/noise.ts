import type { RolloutSummary } from "../../evidence/queries/query.ts";
import type { NamedMetric } from "../../statistics/scores/metric.ts";
import { noiseFloor, type NoiseFloor } from "../../statistics/intervals/noiseFloor.ts";
import { collectOutcomes, leastSamples, type ItemOutcomes } from "../../statistics/scores/outcomes.ts";
import { refuse, type Answer } from "../../statistics/intervals/refusal.ts";
import { itemMetricOf, valueOf, type Evaluated } from "./chosen.ts";

/** Runs whose seeds are not recorded, or who all have the same one, are told apart by their names. */
type Repeats = "seeds" | "runs" | "runs_of_one_seed";

/** The difference of two versions beside how much repeated runs of one of them differ. */
export interface NoiseReport {
  /** The version with more repeats, of two with as many the noisier one; and what tells its repeats apart. */
  readonly version: string;
  readonly repeats: Repeats;
  readonly floor: Answer<NoiseFloor>;
  /** What the means of the repeats of both have to differ by; that of single runs is `floor.difference`. */
  readonly needed: number | null;
  readonly exceeded: boolean | null;
}

/** The noise floor of the version that has more repeated runs, for a difference between the two. */
export function noiseOf(
  a: Evaluated,
  b: Evaluated,
  metric: NamedMetric["metric"],
  difference: number,
): NoiseReport {
  const [ofA, ofB] = [repeatsOf(a.rollouts), repeatsOf(b.rollouts)];
  const found = [
    { version: a.name, of: ofA, floor: floorOf(a.name, ofA.groups, metric) },
    { version: b.name, of: ofB, floor: floorOf(b.name, ofB.groups, metric) },
  ] as const;
  const sd = ({ floor }: (typeof found)[number]): number => (floor.type === "known" ? floor.sd : -1);
  const [x, y] = found;
  const more = y.of.groups.length - x.of.groups.length;
  const { version, of, floor } = more > 0 || (more === 0 && sd(y) > sd(x)) ? y : x;
  const { repeats } = of;
  if (floor.type === "refused") return { version, repeats, floor, needed: null, exceeded: null };
  // For two single runs it is √2 standard deviations times t; for means of several, √(1/a + 1/b).
  const needed =
    (floor.difference * Math.sqrt(1 / Math.max(1, ofA.groups.length) + 1 / Math.max(1, ofB.groups.length))) /
    Math.SQRT2;
  return { version, repeats, floor, needed, exceeded: Math.abs(difference) > needed };
}

/** Rollouts by seed where several are recorded, otherwise by run: many sources have no seed. */
function repeatsOf(rollouts: readonly RolloutSummary[]): {
  readonly repeats: Repeats;
  readonly groups: readonly (readonly RolloutSummary[])[];
} {
  const by = (key: (r: RolloutSummary) => string | number | null): RolloutSummary[][] => {
    const groups = new Map<string | number | null, RolloutSummary[]>();
    for (const r of rollouts) {
      const group = groups.get(key(r)) ?? [];
      group.push(r);
      groups.set(key(r), group);
    }
    return [...groups.values()];
  };
  const seeds = by((r) => r.seed);
  if (seeds.length > 1) return { repeats: "seeds", groups: seeds };
  const isKnown = rollouts.some((r) => r.seed !== null);
  return { repeats: isKnown ? "runs_of_one_seed" : "runs", groups: by((r) => r.run) };
}

function floorOf(
  version: string,
  groups: readonly (readonly RolloutSummary[])[],
  metric: NamedMetric["metric"],
): Answer<NoiseFloor> {
  if (groups.length < 2)
    return refuse(
      "one_run",
      `${version} has one run: its noise is not known; run it again with another seed.`,
    );
  const least = leastSamples(itemMetricOf(metric));
  const measured = groups.map((g) => collectOutcomes(g).filter((o) => o.pass + o.fail >= least));
  const common = itemsOfAll(measured);
  if (common.size === 0)
    return refuse(
      "no_common_item",
      `The repeated runs of ${version} have no item in common with enough known outcomes, so their scores cannot be compared.`,
    );
  const scores = measured.map(
    (outcomes) =>
      valueOf(
        outcomes.filter((o) => common.has(o.item)),
        metric,
      ) ?? 0,
  );
  return noiseFloor(scores);
}

/** The items that every one of several lists has. */
export function itemsOfAll(lists: readonly (readonly ItemOutcomes[])[]): ReadonlySet<string> {
  const [first = [], ...rest] = lists.map((outcomes) => new Set(outcomes.map((o) => o.item)));
  return new Set([...first].filter((item) => rest.every((other) => other.has(item))));
}
