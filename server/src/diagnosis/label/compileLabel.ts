import { createHash } from "node:crypto";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { labelSourceOf, type AnalyzerSpec } from "../../../../shared/spec/labelSource.ts";
import { HarnessError } from "../../base/errors.ts";
import type { SharedReads } from "../../evidence/labels/sharedReads.ts";
import { triedCondition } from "../../evidence/labels/tried.ts";
import { compilePredicate } from "../../predicate/compile.ts";
import type { PredicateProblem } from "../../predicate/types.ts";

/** A diagnostic compiled for the archive. `revision` changes whenever what it labels could change. */
export interface CompiledLabel {
  readonly name: string;
  readonly revision: string;
  /** Boolean SQL over rollouts r (and features f). */
  readonly when: string;
  /** The same for many labels at once, over the columns of what they read together, as what has to hold all together. */
  readonly sharedWhen: (reads: SharedReads) => readonly string[];
  /** Boolean SQL over turns t and rollouts r (and features f); null when the spec names no evidence. */
  readonly evidence: string | null;
  /** Its place among the evidence of what many labels read together. */
  readonly sharedEvidence: (reads: SharedReads) => number | null;
}

export type CompiledLabelResult =
  | { readonly ok: true; readonly label: CompiledLabel }
  | {
      readonly ok: false;
      readonly key: "when" | "evidence" | "judge";
      readonly problems: readonly PredicateProblem[];
    };

/**
 * Compiles the label of a diagnostic over rollouts; a problem names which of its expressions is wrong and where. That of a
 * program holds where the program said so when it was run.
 */
export function compileLabel(spec: DiagnosticSpec): CompiledLabelResult {
  const { params, over, name } = spec;
  const source = labelSourceOf(spec.label);
  if (over !== "rollout") {
    const message = `This diagnostic is over a ${over}; it does not label rollouts.`;
    return { ok: false, key: "when", problems: [{ start: 0, end: 0, message }] };
  }
  if (source.type === "judge") {
    const message = "A judge sees only a sample, so it cannot label a version as a whole.";
    return { ok: false, key: "judge", problems: [{ start: 0, end: 0, message }] };
  }
  if (source.type === "analyzer") {
    const revision = analyzerRevision(source.analyzer);
    const when = triedCondition({ label: name, revision });
    const shared: Pick<CompiledLabel, "sharedWhen" | "sharedEvidence"> = {
      sharedWhen: (reads) => [reads.of("r", when)],
      sharedEvidence: () => null,
    };
    return { ok: true, label: { name, revision, when, evidence: null, ...shared } };
  }
  const when = compilePredicate(source.when, "rollout", params);
  if (!when.ok) return { ok: false, key: "when", problems: when.problems };
  const { evidence: text } = spec.label;
  const evidence = text === undefined ? null : compilePredicate(text, "turn", params);
  if (evidence?.ok === false) return { ok: false, key: "evidence", problems: evidence.problems };
  const read = Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ok: true,
    label: {
      name,
      revision: revisionOf([source.when, text ?? null, ...(read.length === 0 ? [] : [read])]),
      when: when.predicate.sql,
      sharedWhen: when.predicate.sharedSql,
      evidence: evidence?.predicate.sql ?? null,
      sharedEvidence: (reads) => evidence?.predicate.evidencePlace(reads) ?? null,
    },
  };
}

/** @throws HarnessError specInvalid */
export function usableLabel(spec: DiagnosticSpec): CompiledLabel {
  // Nothing is wrong with such a diagnostic: `evotrainer check` would find no problem in it.
  if (spec.over !== "rollout")
    throw new HarnessError(
      "badInput",
      `The diagnostic ${spec.name} labels ${spec.over}s; this needs one that labels rollouts.`,
    );
  const compiled = compileLabel(spec);
  if (compiled.ok) return compiled.label;
  throw unusable(spec, compiled.key, compiled.problems);
}

/** Changes whenever the program is called in another way; its limits do not change what it says. */
export function analyzerRevision({ command, files, reads }: AnalyzerSpec): string {
  return revisionOf(["analyzer", command, files, reads?.toSorted() ?? null]);
}

/** A short hash of what a label depends on. */
export function revisionOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

/** What is thrown over a diagnostic that does not compile. */
export function unusable(
  spec: DiagnosticSpec,
  key: string,
  problems: readonly PredicateProblem[],
): HarnessError {
  return new HarnessError(
    "specInvalid",
    `The diagnostic ${spec.name} cannot be used: label.${key}: ${problems[0]?.message ?? ""}${key === "judge" ? "" : " `evotrainer check` says where."}`,
  );
}
