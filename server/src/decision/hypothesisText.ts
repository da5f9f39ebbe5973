import type { CheckedName, HypothesisResult, SideEffect } from "../../../shared/ledger/hypothesisResult.ts";
import { verdictLooks } from "../../../shared/words/decisions.ts";
import { figure, percent, points, pointsInterval } from "../../../shared/words/numbers.ts";

/** Whether a gain came without what was to bring it: the named metric is known, and it did not move as it was to. */
export function isForAnotherReason({ moved }: Pick<HypothesisResult, "moved">): boolean {
  return moved === "not" || moved === "against";
}

/** More of a kind would not be read; the version's data has them all. */
const toldAtMost = 4;

/** What became of a hypothesis, a sentence each; nothing about the score, which the verdict says. */
export function hypothesisText(result: HypothesisResult): string[] {
  const { fixes, risks, sideEffects } = result;
  return [
    ...metricText(result),
    ...sentence("", fixes.map(fixText)),
    ...sentence(
      "",
      risks.filter((r) => r.result === "hit").map((r) => `${movedText(r, "rose")}, as was feared`),
    ),
    ...sentence("Nobody foresaw that ", sideEffects.map(sideEffectText)),
    ...bestStepsText(result),
  ];
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
