import type { CheckedName, HypothesisResult, SideEffect } from "../../../shared/ledger/hypothesisResult.ts";
import type { LabelCount } from "../../../shared/ledger/measures.ts";
import { alertRank } from "../../../shared/model/alertOrder.ts";
import { alertLooks, verdictLooks } from "../../../shared/words/decisions.ts";
import { figure, percent, points, pointsInterval } from "../../../shared/words/numbers.ts";

/** Whether a gain came without what was to bring it: the named metric is known, and it did not move as it was to. */
export function isForAnotherReason({ moved }: Pick<HypothesisResult, "moved">): boolean {
  return moved === "not" || moved === "against";
}

/** More of a kind would not be read; the version's data has them all. */
const toldAtMost = 4;

type Labels = readonly Pick<LabelCount, "name" | "alert">[];

/**
 * What became of a hypothesis, a sentence each; nothing about the score, which the verdict says. Of many things the first few
 * are told: what the version has an alert for, the worst first, and of these what rose before what fell.
 */
export function hypothesisText(result: HypothesisResult, labels: Labels = []): string[] {
  const { fixes, risks, sideEffects } = result;
  const alerts = new Map(labels.map(({ name, alert }) => [name, alert]));
  const rank = ({ name, from, to }: CheckedName | SideEffect): number => {
    const alert = alerts.get(name) ?? null;
    return alert === null ? 4 : 2 * alertRank(alert) + ((to ?? 0) > (from ?? 0) ? 0 : 1);
  };
  const told = <T extends CheckedName | SideEffect>(
    start: string,
    of: readonly T[],
    text: (one: T) => string,
  ): string[] =>
    sentence(
      start,
      of
        .toSorted((a, b) => rank(a) - rank(b))
        .map((one) => {
          const alert = alerts.get(one.name) ?? null;
          return alert === null ? text(one) : `${text(one)} (${alertLooks[alert].word})`;
        }),
    );
  return [
    ...metricText(result),
    ...told("", fixes, fixText),
    ...told(
      "",
      risks.filter((r) => r.result === "hit"),
      (r) => `${movedText(r, "rose")}, as was feared`,
    ),
    ...told("Nobody foresaw that ", sideEffects, sideEffectText),
    ...bestStepsText(result),
  ];
}

/** The reason of a decision with alerts first; earlier releases wrote what became of a hypothesis in the order of its parts. */
export function reasonWithAlerts(
  reason: string,
  result: HypothesisResult | undefined,
  labels: Labels,
): string {
  const written = result === undefined ? "" : hypothesisText(result).join(" ");
  if (result === undefined || written === "" || !reason.endsWith(written)) return reason;
  return `${reason.slice(0, -written.length)}${hypothesisText(result, labels).join(" ")}`;
}

function metricText(result: HypothesisResult): string[] {
  const { metric, direction, moved, because } = result;
  if (metric === "solve_rate") return [];
  const numbers = numbersOf(result);
  const wanted = direction === "increase" ? "rise" : "fall";
  switch (moved) {
    case "as_said":
      return [`${metric} ${direction === "increase" ? "rose" : "fell"} as its hypothesis says${numbers}.`];
    case "against":
      return [
        `${metric} was expected to ${wanted}, but ${direction === "increase" ? "fell" : "rose"}${numbers}.`,
      ];
    case "not":
      return [`${metric} was expected to ${wanted}, but did not${numbers}.`];
    case "cannot_tell":
      return [
        `Nobody can tell whether ${metric} ${direction === "increase" ? "rose" : "fell"}${because === undefined ? "" : `: ${because}`}${numbers === "" ? "" : ` (${numbers.slice(2)})`}.`,
      ];
  }
}

/** `: 40.0 % → 20.0 %, difference −20.0 points [−28.1, −11.9]`; "" where nothing is known. */
function numbersOf({ unit, from, to, low, high }: HypothesisResult): string {
  if (from === null || to === null) return "";
  const say = unit === "share" ? percent : figure;
  const span = `: ${say(from)} → ${say(to)}`;
  if (low === null || high === null) return span;
  return unit === "share"
    ? `${span}, difference ${points(to - from)} ${pointsInterval(low, high)}`
    : `${span}, difference ${figure(to - from)} [${figure(low)}, ${figure(high)}]`;
}

function fixText(fix: CheckedName): string {
  const { name, over, result } = fix;
  if (over === "version")
    switch (result) {
      case "hit":
        return `the finding ${name} is gone, as predicted`;
      case "within_noise":
        return `the finding ${name} is still there`;
      case "opposite":
        return `the finding ${name} appeared, although it was expected to go away`;
      case "not_measured":
        return `nobody can tell what became of the finding ${name}`;
    }
  switch (result) {
    case "hit":
      return `${movedText(fix, "fell")}, as predicted`;
    case "within_noise":
      return `${name} was expected to become rarer, but did not${shareOf(fix)}`;
    case "opposite":
      return `${movedText(fix, "rose")}, although it was expected to become rarer`;
    case "not_measured":
      return `nobody can tell whether ${name} became rarer`;
  }
}

function sideEffectText(effect: SideEffect): string {
  const isLess = effect.kind === "fell" || effect.kind === "vanished";
  if (effect.over === "version") return `the finding ${effect.name} ${isLess ? "would go" : "would appear"}`;
  return `${effect.name} would ${isLess ? "fall" : "rise"}${spanOf(effect)}`;
}

type Span = Pick<CheckedName, "name" | "over" | "from" | "to">;

const movedText = (span: Span, verb: string): string =>
  span.over === "version" ? `the finding ${span.name} appeared` : `${span.name} ${verb}${spanOf(span)}`;

function spanOf({ over, from, to }: Span): string {
  if (from === null || to === null) return "";
  return ` from ${percent(from)} to ${percent(to)} of the ${over}s`;
}

/** ` (10.0 % → 9.8 % of the rollouts)`; "" where nothing is known. */
function shareOf({ over, from, to }: Span): string {
  return from === null || to === null ? "" : ` (${percent(from)} → ${percent(to)} of the ${over}s)`;
}

function bestStepsText({ bestSteps }: HypothesisResult): string[] {
  if (bestSteps === undefined) return [];
  const { step, parentStep, difference, low, high, verdict, holds } = bestSteps;
  const where = `Each at its best step (${step} against ${parentStep}) the difference is ${points(difference)} ${pointsInterval(low, high)}`;
  return [
    holds
      ? `${where} as well.`
      : `${where}, ${verdictLooks[verdict].word}: the verdict holds for the last step only.`,
  ];
}

function sentence(start: string, parts: readonly string[]): string[] {
  if (parts.length === 0) return [];
  const left = parts.length - toldAtMost;
  const told = [...parts.slice(0, toldAtMost), ...(left > 0 ? [`${left} more`] : [])].join("; ");
  const whole = `${start}${told}`;
  // A label keeps its spelling, also at the beginning of a sentence.
  const first = /^(nobody|the) /.test(whole) ? `${whole.charAt(0).toUpperCase()}${whole.slice(1)}` : whole;
  return [`${first}.`];
}
