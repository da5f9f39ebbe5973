import type { ParamValues, DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { labelSourceOf } from "../../../../shared/spec/labelSource.ts";
import type { TriedCondition } from "../../engine/backtest/diagnosticsTry.ts";
import { diagnosticIn } from "../syntax/typedSpec.ts";
import type { ParsedSpec } from "../syntax/parseSpec.ts";

/** What a diagnostic asks of the archive: its condition, and the archived rollouts that its examples name, as run/id. */
export type Question = {
  readonly condition: string;
  readonly params: ParamValues;
  readonly rollouts: string[];
};

/** What the archive said to such questions, by `questionKey`. */
export type TriedConditions = ReadonlyMap<string, TriedCondition>;

export const questionKey = (question: Question): string => JSON.stringify(question);

/** The question of a spec; undefined for one that is no diagnostic with a condition over rollouts. */
export function questionOf(spec: ParsedSpec): Question | undefined {
  return spec.kind === "diagnostic" ? asked(diagnosticIn(spec)) : undefined;
}

/** The questions of all diagnostics of a project. */
export function questionsOf(project: {
  readonly specs: () => readonly { readonly spec: ParsedSpec }[];
}): Question[] {
  return project.specs().flatMap(({ spec }) => questionOf(spec) ?? []);
}

function asked(diagnostic: DiagnosticSpec | undefined): Question | undefined {
  const source = diagnostic?.over === "rollout" ? labelSourceOf(diagnostic.label) : undefined;
  if (!diagnostic || source?.type !== "when") return undefined;
  const rollouts = archivedExamples(diagnostic).map(({ rollout }) => rollout);
  return { condition: source.when, params: diagnostic.params, rollouts };
}

/** What the archive says of a diagnostic as it stands; undefined as long as it was not asked. */
export function triedOf(
  diagnostic: DiagnosticSpec,
  tried: TriedConditions | undefined,
): TriedCondition | undefined {
  const question = asked(diagnostic);
  return question && tried?.get(questionKey(question));
}

type ArchivedExample = {
  readonly index: number;
  readonly rollout: string;
  readonly expect: "labelled" | "clear";
};

function archivedExamples({ examples }: DiagnosticSpec): ArchivedExample[] {
  return examples.flatMap(({ rollout, expect }, index) =>
    typeof rollout === "string" ? [{ index, rollout, expect }] : [],
  );
}

/** The examples that name rollouts which the archive has, and whether those carry the label. */
export function triedExamples(
  diagnostic: DiagnosticSpec,
  tried: TriedConditions | undefined,
): (ArchivedExample & { readonly isLabelled: boolean })[] {
  const verdicts = triedOf(diagnostic, tried)?.verdicts ?? [];
  return archivedExamples(diagnostic).flatMap((example, i) => {
    const verdict = verdicts[i];
    return verdict === undefined || verdict === "not_archived"
      ? []
      : [{ ...example, isLabelled: verdict === "labelled" }];
  });
}
