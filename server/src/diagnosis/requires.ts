import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { compilePredicate } from "../predicate/compile.ts";
import type { Scope } from "../predicate/types.ts";

/** Fields of the contract without which a diagnostic says nothing, sorted; empty when it does not compile. */
export function requiredFields(spec: DiagnosticSpec): string[] {
  const { when, evidence } = spec.label;
  const fields = (text: string, scope: Scope): readonly string[] => {
    const compiled = compilePredicate(text, scope);
    return compiled.ok ? compiled.predicate.fields : [];
  };
  const found = [...fields(when, "rollout"), ...(evidence === undefined ? [] : fields(evidence, "turn"))];
  return [...new Set(found)].sort();
}
