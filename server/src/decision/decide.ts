import { failureBeside } from "../../../shared/model/failureText.ts";
import { invalidating } from "../../../shared/model/distrust.ts";
import { isTold, labelShare } from "../../../shared/model/labelShare.ts";
import { guardrailText } from "../../../shared/words/guardrailText.ts";
import { counted, percent, points, pointsInterval } from "../../../shared/words/numbers.ts";
import type { Decision } from "../../../shared/ledger/ledger.ts";
import type { HypothesisResult } from "../../../shared/ledger/hypothesisResult.ts";
import type { Comparison, LabelCount, Score } from "../../../shared/ledger/measures.ts";
import type { InterventionSpec } from "../../../shared/spec/intervention.ts";
import type { FailureClass } from "../../../shared/model/failureClass.ts";
import { listed } from "../base/similar.ts";
import { doubtText } from "../statistics/comparison/doubts.ts";
import { hypothesisText, isForAnotherReason } from "./hypothesisText.ts";
import { decideSubtraction, type Subtraction } from "./subtraction.ts";
import type { CleanEvaluation } from "./verdictPorts.ts";

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
  /** Why it cannot be compared with its parent, in a sentence; null or left out where it can. */
  readonly incomparable?: string | null;
  readonly terms: Terms;
  /** As `VerdictPorts.hypothesisResult` gives it; null or left out where the version claims nothing. */
  readonly hypothesis?: HypothesisResult | null;
  /** As `VerdictPorts.reevaluateClean` gives it for what `isQuarantined`; left out, labelled rollouts were counted. */
  readonly clean?: CleanEvaluation | null;
  /** The seeds that were measured of this version and of its parent, where they are known. */
  readonly seeds?: SeedsMeasured | null;
  /** Of a version that takes a kept edit out: then the test of equivalence decides, not the gain. */
  readonly subtraction?: Subtraction | null;
}

export interface SeedsMeasured {
  readonly own: readonly number[];
  readonly parent: readonly number[];
}

export interface BaseVerdict {
  readonly decision: "base";
  readonly reason: string;
  readonly shownBy: readonly string[];
}

/** Everything a decision about a trained version rests on. Rates and scores are in [0, 1]. */
export interface DecisionInput {
  readonly failure: { readonly failure: FailureClass; readonly message: string } | null;
  readonly score: Score | null;
  readonly cleanScore: Score | null;
  readonly labels: readonly LabelCount[];
  readonly comparison: Comparison | null;
  readonly incomparable?: string | null | undefined;
  readonly hypothesis?: HypothesisResult | null | undefined;
  readonly clean?: CleanEvaluation | null | undefined;
  readonly seeds?: SeedsMeasured | null | undefined;
  readonly subtraction?: Subtraction | null | undefined;
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

/** Decides a version whose job is over: the first two of an evolution only have to be sound. */
export function decideVersion(version: TrainedVersion): Verdict | BaseVerdict {
  const { kind, failure, measured, comparison, incomparable, terms } = version;
  const { hypothesis, clean, seeds, subtraction } = version;
  const { score, cleanScore, labels } = measured;
  const metric = (name: string): number | null => metricOf(measured, name);
  const verdict = decide({
    ...{ failure, score, cleanScore, labels, comparison, incomparable, metric },
    ...{ hypothesis, clean, seeds, subtraction },
    ...terms,
  });
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
export function metricOf({ score, signals, labels, training }: Measurement, name: string): number | null {
  if (name === "solve_rate") return score?.value ?? null;
  if (name in signals) return signals[name] ?? null;
  const label = labels.find((l) => l.name === name);
  if (label !== undefined) {
    const share = labelShare(label);
    return isTold(share) ? share.rate : null;
  }
  const { key, all } = training ?? { key: [], all: [] };
  return (key.find(({ role }) => role === name) ?? all.find((metric) => metric.name === name))?.last ?? null;
}

/** Applies its rules in order: the evaluation must be sound before the score is looked at. */
export function decide(input: DecisionInput): Verdict {
  return (
    failed(input) ??
    invalidated(input) ??
    measuredOtherwise(input) ??
    unmeasured(input) ??
    guarded(input) ??
    withoutEdit(input) ??
    compared(input)
  );
}

function failed({ failure }: DecisionInput): Verdict | undefined {
  if (failure === null) return undefined;
  const decision = failure.failure === "disqualified" ? "invalid" : "reject";
  return { decision, reason: `Its job ${failureBeside(failure)}: ${failure.message}`, shownBy: [] };
}

/** Whether a label quarantines the version, whatever its score is. */
export const isQuarantined = (labels: readonly LabelCount[]): boolean => invalidating(labels).length > 0;

function invalidated(input: DecisionInput): Verdict | undefined {
  const found = invalidating(input.labels);
  if (found.length === 0) return undefined;
  const what = found.map((l) => `${l.name} in ${l.labelled} of ${counted(l.rollouts, "rollout")}`).join(", ");
  return {
    decision: "invalid",
    reason: `Quarantined for ${what}.${bothScores(input)}`,
    shownBy: found.map((l) => l.name),
  };
}

/** The score with the leak and without it, and which of the two ways the second one was made. */
function bothScores({ score, cleanScore, clean }: DecisionInput): string {
  if (clean?.by === "reevaluated" && clean.score !== null) {
    const without = `the same policy scores ${percent(clean.score.value)} in its parent's environment, where the leak is closed`;
    return score === null ? ` Re-evaluated, ${without}.` : ` It scored ${percent(score.value)}; ${without}.`;
  }
  if (score === null || cleanScore === null) return "";
  const because = clean?.because ?? null;
  const [shown, clear] = [percent(score.value), percent(cleanScore.value)];
  const same = shown === clear ? "the same" : clear;
  return [
    ` Its score of ${shown} is ${same} when those rollouts count as failures.`,
    ...(because === null ? [] : [`It was not evaluated without the leak: ${because}`]),
  ].join(" ");
}

/** A difference between versions that were measured on different things says nothing about either. */
function measuredOtherwise({ incomparable }: DecisionInput): Verdict | undefined {
  return incomparable === undefined || incomparable === null
    ? undefined
    : { decision: "invalid", reason: incomparable, shownBy: [] };
}

function unmeasured({ score, comparison }: DecisionInput): Verdict | undefined {
  if (score !== null && comparison !== null) return undefined;
  return {
    decision: "reject",
    reason: "No item has a known outcome in both this version and its parent, so they cannot be compared.",
    shownBy: [],
  };
}

function guarded({ guardrails, metric, labels }: DecisionInput): Verdict | undefined {
  const broken: string[] = [];
  const shownBy: string[] = [];
  for (const g of guardrails) {
    const value = metric(g.metric);
    if (value === null) broken.push(`${g.metric} is not measured, and must stay at or below ${g.atMost}`);
    else if (value > g.atMost) {
      const label = labels.find(({ name }) => name === g.metric);
      const over = label === undefined ? undefined : (label.over ?? "rollout");
      broken.push(guardrailText({ ...g, value, over }));
      shownBy.push(g.metric.replace(/_rate$/, "").replaceAll("_", "-"));
    }
  }
  return broken.length === 0
    ? undefined
    : { decision: "reject", reason: `Guardrail: ${broken.join("; ")}.`, shownBy };
}

function withoutEdit({ subtraction }: DecisionInput): Verdict | undefined {
  return subtraction === undefined || subtraction === null
    ? undefined
    : { ...decideSubtraction(subtraction), shownBy: [] };
}

function compared(input: DecisionInput): Verdict {
  const { hypothesis = null, labels } = input;
  const verdict = comparedByScore(input);
  if (hypothesis === null) return verdict;
  const reason =
    verdict.decision === "keep" && isForAnotherReason(hypothesis)
      ? verdict.reason.replace(/^Better: /, "Better, but not for the stated reason: ")
      : verdict.reason;
  return { ...verdict, reason: [reason, ...hypothesisText(hypothesis, labels)].join(" ") };
}

function comparedByScore({ comparison, success, labels, seeds }: DecisionInput): Verdict {
  if (comparison === null)
    return { decision: "reject", reason: "There is nothing to compare it with.", shownBy: [] };
  const change = `${points(comparison.difference)} against ${comparison.against} ${pointsInterval(comparison.low, comparison.high)}${seedsText(comparison, seeds ?? null)}`;
  const alerts = labels.filter((l) => l.alert === "critical").map((l) => l.name);
  if (comparison.verdict === "regressed")
    return { decision: "reject", reason: `Worse: ${change}.${because(alerts)}`, shownBy: alerts };
  if (comparison.verdict === "withheld")
    return {
      decision: "reject",
      reason: `No verdict: ${change}, on items that were selected by how one of the versions did on them.`,
      shownBy: [],
    };
  if (hasNoEffect(comparison))
    return {
      decision: "reject",
      reason: `No effect: every item has the same outcomes as in ${comparison.against}.`,
      shownBy: [],
    };
  if (comparison.verdict === "inside_noise") {
    return {
      decision: "reject",
      reason: `Inside the noise: ${change}${missingText(comparison)}.${doubtsOf(comparison)}${because(alerts)}`,
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

/** Which seeds a difference rests on; nothing where nobody noted them. */
function seedsText({ seeds: counts }: Comparison, seeds: SeedsMeasured | null): string {
  if (seeds !== null && seeds.own.length > 0 && seeds.parent.length > 0) {
    const of = (own: readonly number[]): string =>
      `${own.length === 1 ? "seed" : "seeds"} ${listed(own.map(String), "and")}`;
    return of(seeds.own) === of(seeds.parent)
      ? `, ${of(seeds.own)}`
      : `, ${of(seeds.own)} against ${of(seeds.parent)}`;
  }
  if (counts === undefined || counts.includes(0)) return "";
  const [ofParent, own] = counts;
  return own === ofParent
    ? `, ${counted(own, "seed")} each`
    : `, ${counted(own, "seed")} against ${ofParent}`;
}

/** What is short: seeds, where more of them would tell with these items, and otherwise items. */
function missingText({ items, itemsNeeded, seeds, seedsNeeded }: Comparison): string {
  const trained = Math.min(...(seeds ?? [0]));
  if (seedsNeeded !== undefined && seedsNeeded !== null && seedsNeeded > trained && trained > 0)
    return `; about ${seedsNeeded} seeds of each version would be needed to tell, and there ${trained === 1 ? "is" : "are"} ${trained}`;
  return itemsNeeded === null || itemsNeeded <= items
    ? ""
    : `; about ${itemsNeeded} items would be needed to tell, and there are ${items}`;
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
