import { becauseOf } from "../../../../shared/words/because.ts";
import type { LedgerEntry, PredictedEffect } from "../../../../shared/ledger/ledger.ts";
import type { SkillUse } from "../../../../shared/ledger/skillUse.ts";
import type { Scalar } from "../../../../shared/spec/common.ts";
import { isPatch, isValueEdit, type ValueEdit } from "../../../../shared/spec/edit.ts";
import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { metricWords } from "../../../../shared/words/metricWords.ts";
import { points } from "../../../../shared/words/numbers.ts";
import { differenceOf, shortValue, titleOf, type OutcomeFile } from "./difference.ts";
import { isPartOfPatch } from "./partOfPatch.ts";

type HypothesisEntry = Extract<LedgerEntry, { type: "hypothesis" }>;
type Common = Pick<HypothesisEntry, "id" | "at" | "domain" | "version">;

/** What a proposal claims of the change that its proposer asked for, as the ledger keeps it. */
export function hypothesisEntry(
  spec: InterventionSpec,
  {
    proposer,
    answers,
    skill,
    title,
    ...common
  }: Omit<Common, "id"> & {
    readonly proposer?: string;
    readonly answers?: string;
    readonly skill?: SkillUse;
    readonly title: string;
  },
  effect?: PredictedEffect,
): HypothesisEntry {
  return {
    ...common,
    id: `hypothesis:${common.version}`,
    type: "hypothesis",
    statement: composedStatement(spec, effect) ?? statementOf(spec, title),
    targets: spec.targets,
    predictedFixes: spec.predicts.fixes,
    predictedRisks: spec.predicts.risks,
    ...(proposer === undefined ? {} : { proposer }),
    ...(answers === undefined ? {} : { answers }),
    ...(spec.edit.length === 0 ? {} : { spec }),
    ...(effect === undefined ? {} : { effect }),
    ...(skill === undefined ? {} : { skill }),
  };
}

/** What is expected of a draft that is made of versions that were measured, in numbers; null for any other. */
function composedStatement(
  { hypothesis: { because } }: InterventionSpec,
  effect: PredictedEffect | undefined,
): string | null {
  if (effect === undefined) return null;
  const { against, difference, parts } = effect;
  if (parts.length === 0) return `The solve rate should stay as it is in ${against}${becauseOf(because)}`;
  return `The solve rate should move by ${points(difference)} against ${against}${becauseOf(because)}`;
}

/**
 * What is left of a proposal's claims after its change was altered at its gate. They speak of what their hypothesis names:
 * where that still moves as it was to move, they hold of the change as it is now; where not, nothing is claimed of it.
 */
export function claimsAfter(
  original: HypothesisEntry,
  proposedAs: string,
  files: readonly OutcomeFile[],
  common: Common,
): HypothesisEntry {
  const { spec, proposer, skill } = original;
  const kept = {
    ...common,
    type: "hypothesis" as const,
    ...(skill === undefined ? {} : { skill }),
    ...(proposer === undefined ? {} : { proposer }),
    ...(spec === undefined ? {} : { spec }),
  };
  const title = titleOf(files);
  if (spec === undefined || !isStillMade(spec, files))
    return {
      ...kept,
      statement: `Proposed for another change (${proposedAs}); nothing was predicted for ${title}.`,
      targets: [],
      predictedFixes: [],
      predictedRisks: [],
      speaksOf: "none",
    };
  const { targets, predicts } = spec;
  return {
    ...kept,
    statement:
      title === proposedAs
        ? statementOf(spec, title)
        : `${statementOf(spec, proposedAs)} (proposed as ${proposedAs}; it is ${title} now)`,
    targets,
    predictedFixes: predicts.fixes,
    predictedRisks: predicts.risks,
    ...(title === proposedAs ? {} : { speaksOf: "part" }),
  };
}

const moves = { increase: "raise", decrease: "lower" } as const;

function statementOf(spec: InterventionSpec, title: string): string {
  const { direction, metric, because } = spec.hypothesis;
  return `${subjectOf(spec, title)} should ${moves[direction]} ${metricWords(metric)}${becauseOf(because)}`;
}

/** What is changed, as the subject of a sentence. Lines have no name of their own: they are called what they do change. */
function subjectOf({ hypothesis: { change }, edit }: InterventionSpec, title: string): string {
  if (edit.some(isPatch)) return `The change \`${title}\``;
  const [only, ...others] = edit.filter(isValueEdit);
  const isNamed = only !== undefined && others.length === 0 && only.path === change;
  const values = isNamed ? ` from ${shortValue(only.from)} to ${shortValue(only.to)}` : "";
  return `Changing \`${change}\`${values}`;
}

/**
 * What a proposal says of its change, in a sentence. A release before wrote `order should increase solve_rate because …` into
 * the ledger, where it stays; the sentence is made anew of what that hypothesis names.
 */
export function saidStatement(
  { statement, spec, effect, speaksOf }: HypothesisEntry,
  proposedAs: string,
): string {
  if (spec === undefined || effect !== undefined || speaksOf !== undefined) return statement;
  const { change, direction, metric } = spec.hypothesis;
  const told = ` should ${direction} ${metric}`;
  const isOld = [change, proposedAs].some((name) => statement.startsWith(`${name}${told}`));
  return isOld ? statementOf(spec, proposedAs) : statement;
}

/** Whether every edit that the hypothesis is about is made, to the value that was proposed or at least towards it. */
function isStillMade({ hypothesis, edit }: InterventionSpec, files: readonly OutcomeFile[]): boolean {
  const values = edit.filter(isValueEdit);
  const named = values.filter(
    ({ path }) => isWithin(path, hypothesis.change) || isWithin(hypothesis.change, path),
  );
  const differences = differenceOf(files);
  const isMade = (e: ValueEdit): boolean =>
    differences.some(
      ({ file, path, from, to }) => file === e.file && path === e.path && from === e.from && isTowards(e, to),
    );
  if (named.length > 0) return named.every(isMade);
  return values.every(isMade) && edit.filter(isPatch).every(({ patch }) => isPartOfPatch(patch, files));
}

const isWithin = (path: string, area: string): boolean => path === area || path.startsWith(`${area}.`);

function isTowards(
  proposed: { readonly from: Scalar; readonly to: Scalar },
  to: Scalar | undefined,
): boolean {
  if (to === proposed.to) return true;
  return (
    typeof proposed.from === "number" &&
    typeof proposed.to === "number" &&
    typeof to === "number" &&
    Math.sign(to - proposed.from) === Math.sign(proposed.to - proposed.from)
  );
}
