import type { Comparison } from "../../../../shared/ledger/measures.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { NamedMetric } from "../../statistics/scores/metric.ts";
import { itemInterval } from "../../statistics/intervals/itemInterval.ts";
import { moments } from "../../statistics/distributions/moments.ts";
import type { ItemOutcomes } from "../../statistics/scores/outcomes.ts";
import { itemDifferences, pairItems } from "../../statistics/scores/pairs.ts";
import { largestOfNormals, pickedBest } from "../../statistics/comparison/pickedBest.ts";
import { refuse, type Refusal } from "../../statistics/intervals/refusal.ts";
import { simultaneousIntervals } from "../../statistics/intervals/simultaneous.ts";
import { compareBy, itemMetricOf, type Evaluated } from "./chosen.ts";
import { itemsOfAll } from "./noise.ts";

/** The versions that one was picked from, as far as the lineage says. */
export interface Family {
  readonly versions: readonly string[];
  /** Why these, or why none are known. */
  readonly because: string;
}

/** One of the versions that were to be picked from, against the version that all are compared with. */
export interface CandidateReport {
  readonly version: string;
  readonly difference: number;
  /** Over items, for all of them together; null where too few items differ for it. */
  readonly low: number | null;
  readonly high: number | null;
  readonly p: number | null;
  /** How often it would be the best had other items been drawn. */
  readonly wins: number;
}

export interface PickReport {
  /** What m is: as asked for, or as many as the lineage has. */
  readonly from: "asked" | "lineage";
  readonly candidates: number;
  /** Evaluations that were to be picked from, over both versions; 1 when none was picked. */
  readonly steps: number;
  readonly versions: readonly string[];
  readonly because: string;
  /** The comparison at the confidence that allows for the pick (Bonferroni); null when nothing was picked. */
  readonly corrected: Pick<Comparison, "low" | "high" | "confidence" | "verdict" | "method"> | null;
  /** The best of the known ones. */
  readonly best: string | null;
  /** What the pick added to the difference: by the bootstrap of the pick, and at most. Null where it is not known. */
  readonly bias: number | null;
  readonly biasAtMost: number | null;
  readonly among: readonly CandidateReport[];
  /** Why the candidates cannot be set side by side. */
  readonly refused: Refusal | null;
}

/** The versions that b could have been instead, by the lineage: candidates for one parent, or all that came from a. */
export function familyOf(
  a: string,
  b: string,
  versions: ReadonlyMap<string, VersionRecord>,
  measured: ReadonlySet<string>,
): Family {
  const record = versions.get(b);
  if (record === undefined) return { versions: [b], because: `${b} is not in the lineage` };
  const eligible = (v: VersionRecord): boolean =>
    v.name === b ||
    (measured.has(v.name) && v.decision?.decision !== "invalid" && v.decision?.decision !== "prune");
  const named = (found: readonly VersionRecord[]): string[] => found.filter(eligible).map((v) => v.name);
  const all = [...versions.values()];
  if (record.parent === a)
    return { versions: named(all.filter((v) => v.parent === a)), because: `the measured children of ${a}` };
  if (descends(record, a, versions))
    return {
      versions: named(all.filter((v) => descends(v, a, versions))),
      because: `the measured descendants of ${a}`,
    };
  return { versions: [b], because: `${b} does not descend from ${a}` };
}

function descends(
  from: VersionRecord,
  ancestor: string,
  versions: ReadonlyMap<string, VersionRecord>,
): boolean {
  const seen = new Set<string>();
  for (
    let at: VersionRecord | undefined = from;
    at?.parent != null && !seen.has(at.name);
    at = versions.get(at.parent)
  ) {
    if (at.parent === ancestor) return true;
    seen.add(at.name);
  }
  return false;
}

/** What having picked b from several versions, or its best evaluation, does to its comparison with a. */
export function pickReport(
  metric: NamedMetric,
  a: Evaluated,
  b: Evaluated,
  of: {
    readonly family: Family;
    readonly asked: number | undefined;
    readonly steps: number;
    readonly others: readonly { readonly name: string; readonly outcomes: readonly ItemOutcomes[] }[];
  },
): PickReport {
  const { family, asked, steps, others } = of;
  const candidates = asked ?? family.versions.length;
  const looked = candidates * steps;
  const corrected = looked > 1 ? compareBy(metric, a, b, { confidence: 0.95, candidates: looked }) : null;
  const side = sideBySide(metric, a, b, others);
  const isBest = side.best === b.name;
  const knowsAll = candidates === others.length && steps === 1 && side.refused === null;
  return {
    from: asked === undefined ? "lineage" : "asked",
    candidates,
    steps,
    versions: family.versions,
    because: family.because,
    corrected:
      corrected === null
        ? null
        : {
            low: corrected.low,
            high: corrected.high,
            confidence: corrected.confidence,
            verdict: corrected.verdict,
            ...(corrected.method === undefined ? {} : { method: corrected.method }),
          },
    best: side.best,
    bias: knowsAll && isBest ? side.bias : null,
    biasAtMost:
      looked === 1 || (knowsAll && !isBest)
        ? null
        : knowsAll
          ? side.biasAtMost
          : flatteredAtMost(metric, a, b, looked),
    among: side.among,
    refused: side.refused,
  };
}

function flatteredAtMost({ metric }: NamedMetric, a: Evaluated, b: Evaluated, looked: number): number | null {
  if (metric === "iqm") return null;
  const values = itemDifferences(pairItems(a.outcomes, b.outcomes, metric), metric);
  if (values.length < 2) return null;
  return largestOfNormals(looked) * Math.sqrt(moments(values).variance / values.length);
}

type SideBySide = Pick<PickReport, "best" | "among" | "refused"> & {
  readonly bias: number | null;
  readonly biasAtMost: number | null;
};

const sampling = { confidence: 0.95, resamples: 1, seed: 1 };

/** All candidates on the items that all of them and a have enough known outcomes of. */
function sideBySide(
  { metric }: NamedMetric,
  a: Evaluated,
  b: Evaluated,
  others: readonly { readonly name: string; readonly outcomes: readonly ItemOutcomes[] }[],
): SideBySide {
  const nothing = { best: null, bias: null, biasAtMost: null, among: [] };
  if (others.length < 2) return { ...nothing, refused: null };
  const of = itemMetricOf(metric);
  const enough = others.map(({ outcomes }) => pairItems(a.outcomes, outcomes, of).map((p) => p.item));
  const common = itemsOfAll(
    enough.map((items) => items.map((item) => ({ item, pass: 0, fail: 0, unknown: 0 }))),
  );
  if (common.size === 0)
    return {
      ...nothing,
      refused: refuse(
        "no_common_item",
        `The versions that ${b.name} was picked from have no item with known outcomes in common.`,
      ),
    };
  const values = others.map(({ outcomes }) =>
    itemDifferences(
      pairItems(a.outcomes, outcomes, of).filter((p) => common.has(p.item)),
      of,
    ),
  );
  const picked = pickedBest(values);
  if (picked.type === "refused") return { ...nothing, refused: picked };
  const family = simultaneousIntervals(values);
  const among = others.map(({ name }, i) => {
    const interval = family.type === "known" ? family.intervals[i] : undefined;
    // Where the comparison itself would take the exact bound, resampling the items says too much here as well.
    const few = itemInterval(values[i] ?? new Float64Array(1), "difference", sampling).doubts.length > 0;
    const spread = interval?.spread === true && !few;
    return {
      version: name,
      difference: moments(values[i] ?? []).mean,
      low: spread ? interval.low : null,
      high: spread ? interval.high : null,
      p: spread ? interval.p : null,
      wins: picked.wins[i] ?? 0,
    };
  });
  return {
    best: others[picked.index]?.name ?? null,
    bias: picked.bias,
    biasAtMost: picked.biasAtMost,
    among,
    refused: family.type === "refused" ? family : null,
  };
}
