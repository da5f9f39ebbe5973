import { alertOf, labelShare } from "../../../../shared/model/labelShare.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { wilson } from "../../statistics/intervals/proportions.ts";
import type { Interval } from "../../statistics/distributions/quantile.ts";

/** What a judge said of the sample. */
export interface SampleCounts {
  /** Rollouts that the sample was drawn from. */
  readonly of: number;
  readonly asked: number;
  readonly labelled: number;
  readonly clear: number;
  /** Rollouts of which the model said nothing that can be used. */
  readonly unanswered: number;
}

export interface Estimate extends SampleCounts {
  /** Rollouts of which it said that it cannot tell. */
  readonly undecided: number;
  /** Share of those decided, with its 95 % interval for all rollouts; null when none was. */
  readonly rate: (Interval & { readonly value: number }) | null;
  /** Whether the whole interval lies above a threshold of the alert. */
  readonly alert: "warning" | "critical" | null;
}

/**
 * The rate of a judged label. What was not decided could be either, so that the interval reaches from where all of it is clear
 * to where all of it is labelled, each with the error of the sample.
 */
export function estimate(counts: SampleCounts, alert: DiagnosticSpec["alert"]): Estimate {
  const { asked, labelled, clear, unanswered } = counts;
  const decided = labelled + clear;
  const undecided = asked - decided - unanswered;
  const share = labelShare({ labelled, undecided: asked - decided, rollouts: asked });
  if (share.rate === null) return { ...counts, undecided, rate: null, alert: null };
  const { low } = wilson({ share: labelled / asked, size: asked });
  const { high } = wilson({ share: (asked - clear) / asked, size: asked });
  return {
    ...counts,
    undecided,
    rate: { value: share.rate, low, high },
    alert: alertOf({ ...share, bounds: [low, high] }, alert),
  };
}
