import type { MetricSummary } from "../evidence/metricSummary.ts";
import type { Finding } from "./rules.ts";

/**
 * What training scripts call the metrics that a reader looks at first (verl's names, then TRL's, then plain ones), in the
 * order in which they are shown.
 */
const known: Readonly<Record<string, readonly string[]>> = {
  score: ["critic/score/mean", "score", "reward/mean"],
  reward: ["critic/rewards/mean", "reward", "rewards/mean"],
  entropy: ["actor/entropy", "actor/entropy_loss", "entropy"],
  kl: ["actor/kl_loss", "actor/ppo_kl", "kl"],
  grad_norm: ["actor/grad_norm", "grad_norm"],
  clip_fraction: ["actor/pg_clipfrac", "clip_ratio/region_mean"],
  response_length: ["response_length/mean", "completions/mean_length"],
  truncated: ["response_length/clip_ratio", "completions/clipped_ratio"],
};

/** A metric under the name by which the field speaks of it. */
export interface KeyMetric extends MetricSummary {
  readonly role: string;
}

/** The metrics that a reader looks at first, those that there are. */
export function keyMetrics(summaries: readonly MetricSummary[]): KeyMetric[] {
  const byName = new Map(summaries.map((s) => [s.name, s]));
  return Object.entries(known).flatMap(([role, names]) => {
    const found = names.map((name) => byName.get(name)).find((s) => s !== undefined);
    return found === undefined ? [] : [{ role, ...found }];
  });
}

const fewSteps = 10;

/** What the metrics of training show without a look at any rollout (domain terms: dead training, truncation). */
export function trainingFindings(metrics: readonly KeyMetric[]): Finding[] {
  const found: Finding[] = [];
  const of = (role: string): KeyMetric | undefined => {
    const metric = metrics.find((m) => m.role === role);
    return metric !== undefined && metric.steps >= fewSteps ? metric : undefined;
  };
  const [gradient, length, truncated] = ["grad_norm", "response_length", "truncated"].map(of);
  // TRL has no score beside the reward.
  const score = of("score") ?? of("reward");
  if (gradient?.max === 0)
    found.push({
      name: "dead-training",
      severity: "critical",
      message: `${gradient.name} is 0 in all ${gradient.steps} steps: nothing is learned.`,
    });
  if (score !== undefined && score.min === score.max)
    found.push({
      name: "constant-score",
      severity: "critical",
      message: `${score.name} is ${String(score.min)} in all ${score.steps} steps.`,
    });
  if (length !== undefined && length.min === length.max)
    found.push({
      name: "pinned-length",
      severity: "warning",
      message: `${length.name} is ${String(length.min)} in all ${length.steps} steps: every response has the same length.`,
    });
  if (truncated?.last !== undefined && truncated.last !== null && truncated.last > 0.15)
    found.push({
      name: "truncation",
      severity: truncated.last > 0.5 ? "critical" : "warning",
      message: `${truncated.name} ends at ${Math.round(truncated.last * 100)} %: responses are cut off.`,
    });
  return found;
}
