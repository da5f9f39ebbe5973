import { createHash } from "node:crypto";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { HarnessError } from "../base/errors.ts";
import { compilePredicate } from "../predicate/compile.ts";
import type { TurnColumns } from "../predicate/turnColumns.ts";
import type { PredicateProblem } from "../predicate/types.ts";

/** A diagnostic compiled for the archive. `revision` changes whenever what it labels could change. */
export interface CompiledLabel {
  readonly name: string;
  readonly revision: string;
  /** Boolean SQL over rollouts r (and features f). */
  readonly when: string;
  /** The same for many labels at once: what it asks of all turns is added to `shared` and read from `q`. */
  readonly sharedWhen: (shared: TurnColumns) => string;
  /** Boolean SQL over turns t and rollouts r (and features f); null when the spec names no evidence. */
  readonly evidence: string | null;
}

export type CompiledLabelResult =
  | { readonly ok: true; readonly label: CompiledLabel }
  | { readonly ok: false; readonly key: "when" | "evidence"; readonly problems: readonly PredicateProblem[] };

/** Compiles the label of a diagnostic over rollouts; a problem names which of its expressions is wrong and where. */
export function compileLabel(spec: DiagnosticSpec): CompiledLabelResult {
  const { params, over } = spec;
  if (over !== "rollout") {
    const message = `This diagnostic is over a ${over}; rollouts are not labelled by it.`;
    return { ok: false, key: "when", problems: [{ start: 0, end: spec.label.when.length, message }] };
  }
  const when = compilePredicate(spec.label.when, "rollout", params);
  if (!when.ok) return { ok: false, key: "when", problems: when.problems };
  const { evidence: text } = spec.label;
  const evidence = text === undefined ? null : compilePredicate(text, "turn", params);
  if (evidence?.ok === false) return { ok: false, key: "evidence", problems: evidence.problems };
  const read = Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ok: true,
    label: {
      name: spec.name,
      revision: createHash("sha256")
        .update(JSON.stringify([spec.label.when, text ?? null, ...(read.length === 0 ? [] : [read])]))
        .digest("hex")
        .slice(0, 16),
      when: when.predicate.sql,
      sharedWhen: when.predicate.sharedSql,
      evidence: evidence?.predicate.sql ?? null,
    },
  };
}

/** @throws HarnessError specInvalid */
export function usableLabel(spec: DiagnosticSpec): CompiledLabel {
  const compiled = compileLabel(spec);
  if (compiled.ok) return compiled.label;
  throw unusable(spec, compiled.key, compiled.problems);
}

/** What is thrown over a diagnostic that does not compile. */
export function unusable(
  spec: DiagnosticSpec,
  key: string,
  problems: readonly PredicateProblem[],
): HarnessError {
  return new HarnessError(
    "specInvalid",
    `The diagnostic ${spec.name} cannot be used: label.${key}: ${problems[0]?.message ?? ""} \`evotrainer check\` says where.`,
  );
}
