import type { FailureClass } from "../../../shared/model/failureClass.ts";
import type { Comparison, LabelCount, Score } from "../../../shared/ledger/measures.ts";
import type { InterventionSpec } from "../../../shared/spec/intervention.ts";
import { points } from "../../../shared/words/numbers.ts";
import { decide, type Verdict } from "./decide.ts";

/** What was found out about a version from its archived evidence, as far as a decision rests on it. */
export interface Measurement {
  readonly score: Score | null;
  readonly cleanScore: Score | null;
  readonly labels: readonly LabelCount[];
  readonly signals: Readonly<Record<string, number | null>>;
  /** Last values of the trainer's metrics, those that the field has a name for and all of them. */
  readonly training?: {
    readonly key: readonly { readonly role: string; readonly last: number | null }[];
    readonly all: readonly { readonly name: string; readonly last: number | null }[];
  };
}

/** What a proposal was approved on: the success that it asks for, null where it claims nothing, and what must not suffer. */
export interface Terms {
  readonly success: InterventionSpec["success"] | null;
  readonly guardrails: InterventionSpec["guardrails"];
}

export interface TrainedVersion {
  /** base: the policy before training. baseline: the harness as it is. change: one factor away from its parent. */
  readonly kind: "base" | "baseline" | "change";
  readonly failure: { readonly failure: FailureClass; readonly message: string } | null;
  readonly measured: Measurement;
  /** With its parent; null where no item has a known outcome in both, or there is no parent. */
  readonly comparison: Comparison | null;
  readonly terms: Terms;
}

export interface BaseVerdict {
  readonly decision: "base";
  readonly reason: string;
  readonly shownBy: readonly string[];
}

/** Decides a version whose job is over: the first two of an evolution only have to be sound. */
export function decideVersion(version: TrainedVersion): Verdict | BaseVerdict {
  const { kind, failure, measured, comparison, terms } = version;
  const { score, cleanScore, labels } = measured;
  const metric = (name: string): number | null => metricOf(measured, name);
  const verdict = decide({ ...{ failure, score, cleanScore, labels, comparison, metric }, ...terms });
  if (failure !== null || verdict.decision === "invalid" || score === null) return verdict;
  if (kind === "base")
    return { decision: "base", reason: "The policy before reinforcement learning.", shownBy: [] };
  if (kind === "baseline" && comparison !== null)
    return {
      decision: "keep",
      reason: `The baseline: the harness as it is, ${points(comparison.difference)} against ${comparison.against}.`,
      shownBy: [],
    };
  return verdict;
}

/** A guardrail's metric: a signal, the score, the rate of a label by its name, or the last value of a training metric. */
function metricOf({ score, signals, labels, training }: Measurement, name: string): number | null {
  if (name === "solve_rate") return score?.value ?? null;
  if (name in signals) return signals[name] ?? null;
  const label = labels.find((l) => l.name === name);
  if (label !== undefined) return label.rollouts === 0 ? null : label.labelled / label.rollouts;
  const { key, all } = training ?? { key: [], all: [] };
  return (key.find(({ role }) => role === name) ?? all.find((metric) => metric.name === name))?.last ?? null;
}
