import type { NamedMetric } from "../../statistics/scores/metric.ts";
import { collectOutcomes, itemValues, leastSamples, tally } from "../../statistics/scores/outcomes.ts";
import { pickedBest } from "../../statistics/comparison/pickedBest.ts";
import { refuse, type Answer } from "../../statistics/intervals/refusal.ts";
import { itemMetricOf, rolloutsByStep, type Evaluated } from "./chosen.ts";
import { itemsOfAll } from "./noise.ts";

/** The best of several evaluations of one version, and what having picked it would add to its score. */
export interface BestStep {
  readonly step: number;
  readonly value: number;
  readonly bias: number;
  readonly biasAtMost: number;
  readonly corrected: number;
}

/** Null when the version was evaluated once: then there is nothing to pick. `all` is of all of its evaluations. */
export function bestStepOf(all: Evaluated, metric: NamedMetric["metric"]): Answer<BestStep> | null {
  if (all.steps.length < 2) return null;
  const of = itemMetricOf(metric);
  const least = leastSamples(of);
  const at = rolloutsByStep(all.rollouts);
  const byStep = all.steps.map((step) =>
    collectOutcomes(at.get(step) ?? []).filter((o) => o.pass + o.fail >= least),
  );
  const common = itemsOfAll(byStep);
  if (common.size === 0)
    return refuse(
      "no_common_item",
      `The evaluations of ${all.name} have no item with known outcomes in common.`,
    );
  const values = byStep.map((outcomes) => {
    const ordered = outcomes.filter((o) => common.has(o.item)).sort((x, y) => (x.item < y.item ? -1 : 1));
    return itemValues(tally(ordered, of), of);
  });
  const picked = pickedBest(values);
  if (picked.type === "refused") return picked;
  const { index, value, bias, biasAtMost, corrected } = picked;
  return { type: "known", step: all.steps[index] ?? 0, value, bias, biasAtMost, corrected };
}
