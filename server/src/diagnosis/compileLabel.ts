import { createHash } from "node:crypto";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { compilePredicate } from "../predicate/compile.ts";
import type { PredicateProblem } from "../predicate/types.ts";

/** A diagnostic compiled for the archive. `revision` changes whenever what it labels could change. */
export interface CompiledLabel {
  readonly name: string;
  readonly revision: string;
  /** Boolean SQL over rollouts r (and features f). */
  readonly when: string;
  /** Boolean SQL over turns t and rollouts r (and features f); null when the spec names no evidence. */
  readonly evidence: string | null;
}

export type CompiledLabelResult =
  | { readonly ok: true; readonly label: CompiledLabel }
  | { readonly ok: false; readonly key: "when" | "evidence"; readonly problems: readonly PredicateProblem[] };

/** Compiles a diagnostic's label; a problem names which of its expressions is wrong and where. */
export function compileLabel(spec: DiagnosticSpec): CompiledLabelResult {
  const when = compilePredicate(spec.label.when);
  if (!when.ok) return { ok: false, key: "when", problems: when.problems };
  const { evidence: text } = spec.label;
  const evidence = text === undefined ? null : compilePredicate(text, "turn");
  if (evidence?.ok === false) return { ok: false, key: "evidence", problems: evidence.problems };
  return {
    ok: true,
    label: {
      name: spec.name,
      revision: createHash("sha256")
        .update(JSON.stringify([spec.label.when, text ?? null]))
        .digest("hex")
        .slice(0, 16),
      when: when.predicate.sql,
      evidence: evidence?.predicate.sql ?? null,
    },
  };
}
