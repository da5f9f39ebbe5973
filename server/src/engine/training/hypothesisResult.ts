import type { BestSteps, HypothesisResult } from "../../../../shared/ledger/hypothesisResult.ts";
import type { Comparison } from "../../../../shared/ledger/measures.ts";
import type { VerdictPorts } from "../../decision/verdictPorts.ts";
import { weighHypothesis, type MetricMove } from "../../decision/weighHypothesis.ts";
import { versionValues, type VersionValues } from "../../diagnosis/versionFacts.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { findVersion } from "../../lineage/graph.ts";
import type { Project } from "../../project/project.ts";
import { compareBy, evaluated, type Evaluated } from "../comparison/chosen.ts";
import { measureNamed } from "../comparison/measureNamed.ts";
import { namedChanges, observe, type Measures } from "../comparison/namedChanges.ts";
import { placeIn } from "../project/placeInLineage.ts";
import { usableOf } from "../project/usableDiagnostics.ts";
import { readLineage, type Workspace } from "../workspace/workspace.ts";

type Request = Parameters<VerdictPorts["hypothesisResult"]>[0];

/** What became of a version's hypothesis, from the archive; as `VerdictPorts` says. */
export async function hypothesisResult(
  { store, workspace }: { readonly store: Store; readonly workspace: Workspace },
  { version, parent, comparison }: Request,
  { spec, diagnostics }: Project,
): Promise<HypothesisResult | null> {
  const record = findVersion(await readLineage(workspace, spec.domain), version);
  const claim = record?.hypothesis;
  // What takes an edit out claims that nothing moves, and is decided by that alone.
  if (claim?.spec === undefined || claim.speaksOf === "none" || record?.without !== undefined) return null;
  const { aggregator } = spec.metric;
  const usable = usableOf(
    diagnostics.map((d) => d.spec),
    spec.domain,
  );
  const measures: Measures = { store, aggregator, metricNames: spec.metrics, usable };
  const { entries } = await workspace.ledger.read();
  const observed = (name: string) => observe(measures, { version: name, ...placeIn(entries, name) });
  const { rewardDiffers } = placeIn(entries, version);
  const changes = await namedChanges(measures, await observed(parent), await observed(version));
  if (changes === null) return null;
  const { hypothesis } = claim.spec;
  const choice = { step: "last", metric: aggregator } as const;
  const [a, b] = [await evaluated(store, parent, choice), await evaluated(store, version, choice)];
  return weighHypothesis({
    hypothesis,
    targets: claim.targets,
    fixes: claim.predictedFixes,
    risks: claim.predictedRisks,
    metric: await metricMove(measures, { a, b, rewardDiffers }, hypothesis.metric, comparison),
    changes,
    bestSteps: await bestSteps(measures, { a, b, rewardDiffers }, comparison),
  });
}

interface Pair {
  readonly a: Evaluated;
  readonly b: Evaluated;
  readonly rewardDiffers: boolean;
}

/** The solve rate moved as the comparison says by which the version is decided; anything else is measured here. */
async function metricMove(
  { store, aggregator, usable }: Measures,
  { a, b, rewardDiffers }: Pair,
  metric: string,
  comparison: Comparison | null,
): Promise<MetricMove | null> {
  if (rewardDiffers && (metric === "reward_mean" || metric === "reward_spread"))
    return {
      ...{ unit: "value", from: null, to: null, low: null, high: null },
      because: "the two versions make their rewards differently",
    };
  const measured = await measureNamed(
    { store, aggregator, a, b },
    intervalMetrics[metric] ?? metric,
    () => usable,
  );
  if (measured !== undefined) {
    const { unit, a: from, b: to, interval, because } = measured;
    const { low = null, high = null } =
      metric === "solve_rate" && comparison !== null ? comparison : (interval ?? {});
    return { unit, from, to, low, high, because: low === null ? because : null };
  }
  const valuesOf = (version: string): Promise<VersionValues> =>
    versionValues(store, { version, scope: { split: "selection" }, aggregator });
  const [before, after] = [(await valuesOf(a.name))[metric], (await valuesOf(b.name))[metric]];
  if (before === undefined && after === undefined) return null;
  const numberOf = (value: number | string | null | undefined): number | null =>
    typeof value === "number" ? value : null;
  return {
    unit: /_(ratio|rate|share)$/.test(metric) ? "share" : "value",
    ...{ from: numberOf(before), to: numberOf(after), low: null, high: null },
    because: `${metric} is one number of the whole version, so nobody knows how much of its change is chance`,
  };
}

/** Numbers of a version that are the share of a label, which is counted item by item and so has an interval. */
const intervalMetrics: Readonly<Record<string, string>> = { dead_group_ratio: "dead-group" };

/** Both where they did best, for all pairs of evaluations that could have been picked; null where there was nothing to pick. */
async function bestSteps(
  { store, aggregator }: Measures,
  { a, b }: Pair,
  comparison: Comparison | null,
): Promise<BestSteps | null> {
  if (comparison === null || a.steps.length < 2 || b.steps.length < 2) return null;
  const choice = { step: "best", metric: aggregator } as const;
  const [ofA, ofB] = [await evaluated(store, a.name, choice), await evaluated(store, b.name, choice)];
  const found = compareBy({ name: "solve_rate", metric: aggregator }, ofA, ofB, {
    confidence: comparison.confidence,
    candidates: a.steps.length * b.steps.length,
  });
  if (found === null || ofA.step === null || ofB.step === null) return null;
  const { difference, low, high, verdict } = found;
  const holds = verdict === comparison.verdict;
  return { step: ofB.step, parentStep: ofA.step, difference, low, high, verdict, holds };
}
