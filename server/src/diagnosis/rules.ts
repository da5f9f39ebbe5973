import type { LabelCount, Score } from "../../../shared/model/ledger.ts";

/** What the rules of domain.md §4 look at. Rates in [0, 1]; null where the evidence does not provide it. */
export interface Signals {
  readonly dead_group_ratio: number | null;
  /** Share of rollouts that hold the most frequent reward value. */
  readonly top_reward_share: number | null;
  readonly reward_spread: number | null;
  readonly turns_mean: number | null;
  readonly turns_mean_failed: number | null;
  readonly edit_failure_rate: number | null;
}

export type Severity = "info" | "warning" | "critical";

/** A named finding about a version; interventions name it in `targets`. */
export interface Finding {
  readonly name: string;
  readonly severity: Severity;
  readonly message: string;
}

const percent = (x: number): string => `${Math.round(x * 100)} %`;

/** Rules and alerts that hold for a version, most severe first, then by name. */
export function findings(signals: Signals, labels: readonly LabelCount[], score: Score | null): Finding[] {
  const found: Finding[] = [];
  const {
    dead_group_ratio: dead,
    top_reward_share: top,
    turns_mean: turns,
    turns_mean_failed: failedTurns,
    edit_failure_rate: editFailures,
  } = signals;
  if (dead !== null && top !== null && dead > 0.3 && top > 0.5)
    found.push({
      name: "insufficient-signal",
      severity: dead > 0.5 ? "critical" : "warning",
      message: `${percent(dead)} of the groups have no reward spread, and one reward value holds ${percent(top)} of the rollouts (R1).`,
    });
  if (turns !== null && failedTurns !== null && failedTurns > 1.5 * turns)
    found.push({
      name: "echo-trap-rule",
      severity: "warning",
      message: `Failed rollouts take ${failedTurns.toFixed(1)} turns, all take ${turns.toFixed(1)} (R2).`,
    });
  if (editFailures !== null && editFailures > 0.15)
    found.push({
      name: "poor-edits",
      severity: "warning",
      message: `${percent(editFailures)} of the edits fail (R6).`,
    });
  if (score !== null && score.value < 0.95)
    found.push({
      name: "low-score",
      severity: "info",
      message: `${percent(score.value)} of the items are solved.`,
    });
  for (const label of labels)
    if (label.alert !== null)
      found.push({
        name: label.name,
        severity: label.alert,
        message: `${percent(label.labelled / label.rollouts)} of the rollouts are labelled ${label.name}.`,
      });
  return bySeverity(found);
}

/** Most severe first, then by name. */
export function bySeverity(found: readonly Finding[]): Finding[] {
  const order: readonly Severity[] = ["critical", "warning", "info"];
  return [...found].sort(
    (a, b) => order.indexOf(a.severity) - order.indexOf(b.severity) || (a.name < b.name ? -1 : 1),
  );
}
