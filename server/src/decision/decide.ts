import { percent, points, pointsInterval } from "../../../shared/words/numbers.ts";
import type { Comparison, Decision, LabelCount, Score } from "../../../shared/ledger/ledger.ts";
import type { InterventionSpec } from "../../../shared/spec/intervention.ts";
import type { FailureClass } from "../../../shared/model/failureClass.ts";
import { doubtText } from "../statistics/comparison/doubts.ts";

/** Everything a decision about a trained version rests on. Rates and scores are in [0, 1]. */
export interface DecisionInput {
  readonly failure: { readonly failure: FailureClass; readonly message: string } | null;
  readonly score: Score | null;
  readonly cleanScore: Score | null;
  readonly labels: readonly LabelCount[];
  readonly comparison: Comparison | null;
  readonly success: InterventionSpec["success"] | null;
  readonly guardrails: InterventionSpec["guardrails"];
  /** Value of a guardrail's metric in this version, null when the evidence lacks it. */
  readonly metric: (name: string) => number | null;
}

export interface Verdict {
  readonly decision: Extract<Decision, "keep" | "reject" | "invalid">;
  readonly reason: string;
  /** The labels whose rollouts show the reason. */
  readonly shownBy: readonly string[];
}

/** Applies its rules in order: the evaluation must be sound before the score is looked at. */
export function decide(input: DecisionInput): Verdict {
  return failed(input) ?? invalidated(input) ?? unmeasured(input) ?? guarded(input) ?? compared(input);
}

function failed({ failure }: DecisionInput): Verdict | undefined {
  if (failure === null) return undefined;
  const decision = failure.failure === "disqualified" ? "invalid" : "reject";
  return { decision, reason: `${failure.failure}: ${failure.message}`, shownBy: [] };
}

function invalidated({ labels, score, cleanScore }: DecisionInput): Verdict | undefined {
  const found = labels.filter((l) => l.invalidates && l.labelled > 0);
  if (found.length === 0) return undefined;
  const what = found.map((l) => `${l.name} in ${l.labelled} of ${l.rollouts} rollouts`).join(", ");
  const both =
    score !== null && cleanScore !== null
      ? ` Its score of ${percent(score.value)} is ${percent(cleanScore.value)} when those rollouts count as failures.`
      : "";
  return {
    decision: "invalid",
    reason: `Quarantined for ${what}.${both}`,
    shownBy: found.map((l) => l.name),
  };
}

function unmeasured({ score, comparison }: DecisionInput): Verdict | undefined {
  if (score !== null && comparison !== null) return undefined;
  return {
    decision: "reject",
    reason: "No item has a known outcome in both this version and its parent, so they cannot be compared.",
    shownBy: [],
  };
}

function guarded({ guardrails, metric }: DecisionInput): Verdict | undefined {
  const broken: string[] = [];
  const shownBy: string[] = [];
  for (const g of guardrails) {
    const value = metric(g.metric);
    if (value === null) broken.push(`${g.metric} is not measured, and must stay at or below ${g.atMost}`);
    else if (value > g.atMost) {
      broken.push(`${g.metric} is ${round(value)}, above ${g.atMost}`);
      shownBy.push(g.metric.replace(/_rate$/, "").replaceAll("_", "-"));
    }
  }
  return broken.length === 0
    ? undefined
    : { decision: "reject", reason: `Guardrail: ${broken.join("; ")}.`, shownBy };
}

function compared({ comparison, success, labels }: DecisionInput): Verdict {
  if (comparison === null)
    return { decision: "reject", reason: "There is nothing to compare it with.", shownBy: [] };
  const change = `${points(comparison.difference)} against ${comparison.against} ${pointsInterval(comparison.low, comparison.high)}`;
  const alerts = labels.filter((l) => l.alert === "critical").map((l) => l.name);
  if (comparison.verdict === "regressed")
    return { decision: "reject", reason: `Worse: ${change}.${because(alerts)}`, shownBy: alerts };
  if (hasNoEffect(comparison))
    return {
      decision: "reject",
      reason: `No effect: every item has the same outcomes as in ${comparison.against}.`,
      shownBy: [],
    };
  if (comparison.verdict === "inside_noise") {
    const needed =
      comparison.itemsNeeded === null
        ? ""
        : `; about ${comparison.itemsNeeded} items would be needed to tell, and there are ${comparison.items}`;
    return {
      decision: "reject",
      reason: `Inside the noise: ${change}${needed}.${doubtsOf(comparison)}${because(alerts)}`,
      shownBy: alerts,
    };
  }
  if (success !== null && comparison.difference < success.atLeast)
    return {
      decision: "reject",
      reason: `Better, but by less than the ${points(success.atLeast)} that its hypothesis asked for: ${change}.`,
      shownBy: [],
    };
  return { decision: "keep", reason: `Better: ${change}.`, shownBy: [] };
}

/** With no spread the interval is a bound on what other items might do; entries from before that say 0 to 0. */
function hasNoEffect({ difference, low, high, doubts }: Comparison): boolean {
  return difference === 0 && ((low === 0 && high === 0) || (doubts?.includes("no_spread") ?? false));
}

/** Why a comparison could not tell, where that is not a matter of the noise alone. */
function doubtsOf({ doubts = [] }: Comparison): string {
  return doubts
    .filter((doubt) => doubt === "one_item" || doubt === "too_few_items" || doubt === "few_differ")
    .map((doubt) => ` ${doubtText(doubt)}`)
    .join("");
}

function because(alerts: readonly string[]): string {
  return alerts.length === 0 ? "" : ` Critical: ${alerts.join(", ")}.`;
}

const round = (x: number): number => Math.round(x * 1000) / 1000;
