import type { Comparison, Score } from "../../../../shared/ledger/measures.ts";
import { HarnessError } from "../../base/errors.ts";
import { outcomesByItem, type RolloutSummary } from "../../evidence/queries/query.ts";
import { stringOf } from "../../evidence/store/rows.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { comparePaired } from "../../statistics/comparison/compare.ts";
import { compareIqm } from "../../statistics/comparison/iqmComparison.ts";
import { iqmScore, type RobustScore } from "../../statistics/scores/robustScore.ts";
import { metricNamed, metricNames, type NamedMetric } from "../../statistics/scores/metric.ts";
import {
  aggregate,
  collectOutcomes,
  tally,
  type Aggregator,
  type ItemMetric,
  type ItemOutcomes,
} from "../../statistics/scores/outcomes.ts";
import { iqm } from "../../statistics/scores/iqm.ts";
import { runScores } from "../../statistics/scores/runScores.ts";
import type { Answer } from "../../statistics/intervals/refusal.ts";
import { scoreOf } from "../../statistics/scores/score.ts";

/** Which evaluations of a version count: all of them, the last or the best of each version, or that of a training step. */
export type StepChoice = "all" | "last" | "best" | number;

/** The rollouts of a version that are compared. */
export interface Evaluated {
  readonly name: string;
  readonly rollouts: readonly RolloutSummary[];
  readonly outcomes: readonly ItemOutcomes[];
  /** The training steps at which the selection split was sampled. */
  readonly steps: readonly number[];
  /** The step that was chosen; null for all of them, or for the last of each run. */
  readonly step: number | null;
}

/** @throws HarnessError badInput */
export function metricOrThrow(name: string | undefined, aggregator: Aggregator): NamedMetric {
  const metric = metricNamed(name ?? "solve_rate", aggregator);
  if (metric === undefined)
    throw new HarnessError("badInput", `There is no metric ${name ?? ""}; use one of ${metricNames}.`);
  return metric;
}

/** The metric that stands for one in what needs a value per item: the interquartile mean has none, its items have rates. */
export const itemMetricOf = (metric: NamedMetric["metric"]): ItemMetric =>
  metric === "iqm" ? "macro" : metric;

/** The versions that have rollouts of the selection split. */
export async function measuredVersions(store: Store): Promise<ReadonlySet<string>> {
  const sql = "SELECT DISTINCT version FROM rollouts WHERE split = 'selection'";
  return new Set((await store.query({ sql, params: [] })).map((row) => stringOf(row, "version")));
}

/** The rollouts of a version on the selection split, of the evaluations asked for. */
export async function evaluated(
  store: Store,
  name: string,
  { step, metric }: { step: StepChoice; metric: NamedMetric["metric"] },
): Promise<Evaluated> {
  const all = await outcomesByItem(store, { split: "selection", version: name });
  const steps = [...new Set(all.map((r) => r.step))].sort((x, y) => x - y);
  if (step === "last") {
    const last = new Map<string, number>();
    for (const r of all) last.set(r.run, Math.max(r.step, last.get(r.run) ?? 0));
    return of(all.filter((r) => r.step === last.get(r.run)));
  }
  const chosen = step === "all" ? null : step === "best" ? bestStep(all, steps, metric) : step;
  return of(chosen === null ? all : all.filter((r) => r.step === chosen), chosen);

  function of(rollouts: readonly RolloutSummary[], at: number | null = null): Evaluated {
    return { name, rollouts, outcomes: collectOutcomes(rollouts), steps, step: at };
  }
}

/** The rollouts of each step, in one pass: a long run has thousands of steps. */
export function rolloutsByStep(
  rollouts: Iterable<RolloutSummary>,
): ReadonlyMap<number, readonly RolloutSummary[]> {
  const by = new Map<number, RolloutSummary[]>();
  for (const one of rollouts) {
    const own = by.get(one.step);
    if (own === undefined) by.set(one.step, [one]);
    else own.push(one);
  }
  return by;
}

function bestStep(
  all: readonly RolloutSummary[],
  steps: readonly number[],
  metric: NamedMetric["metric"],
): number | null {
  let best: { step: number; value: number } | null = null;
  const at = rolloutsByStep(all);
  for (const step of steps) {
    const value = valueOf(collectOutcomes(at.get(step) ?? []), metric);
    if (value !== null && (best === null || value > best.value)) best = { step, value };
  }
  return best?.step ?? null;
}

/** The metric of some outcomes; null when no item has enough known samples. */
export function valueOf(outcomes: readonly ItemOutcomes[], metric: NamedMetric["metric"]): number | null {
  if (metric === "iqm") {
    const cells = runScores(outcomes).flat();
    return cells.length === 0 ? null : iqm(cells);
  }
  const items = tally(outcomes, metric);
  return items.length === 0 ? null : aggregate(items, metric);
}

/** b − a by any of the metrics; null when they have no pair. */
export function compareBy(
  { metric }: NamedMetric,
  a: Pick<Evaluated, "name" | "outcomes">,
  b: Pick<Evaluated, "outcomes">,
  options: { readonly confidence: number; readonly candidates?: number },
): Comparison | null {
  return metric === "iqm"
    ? compareIqm(a.name, a.outcomes, b.outcomes, options)
    : comparePaired(a.name, a.outcomes, b.outcomes, { aggregator: metric, ...options });
}

/** The score of one version, and its interval: over items, for the interquartile mean over runs of these items (rliable). */
export type VersionScore = { readonly value: number | null } & (
  | { readonly type: "over_items"; readonly score: Score | null }
  | { readonly type: "over_runs"; readonly score: Answer<RobustScore> }
);

/** Of a version without a known outcome the value is null. */
export function scoreBy(
  { metric, name }: NamedMetric,
  { outcomes }: Pick<Evaluated, "outcomes">,
): VersionScore {
  const value = valueOf(outcomes, metric);
  if (metric !== "iqm")
    return { type: "over_items", value, score: scoreOf(outcomes, { aggregator: metric, name }) };
  const runs = runScores(outcomes).filter((of) => of.length > 0);
  return { type: "over_runs", value, score: iqmScore(runs) };
}
