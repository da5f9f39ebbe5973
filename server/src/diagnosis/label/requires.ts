import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { compilePredicate } from "../../predicate/compile.ts";
import { scopeOf } from "./labelExpressions.ts";

/** Fields of the contract without which a diagnostic says nothing, sorted; empty when it does not compile. */
export function requiredFields(spec: DiagnosticSpec): string[] {
  const { over, params, label } = spec;
  if (label.analyzer !== undefined) return label.analyzer.reads?.toSorted() ?? [];
  // Without what its evidence reads, a label still holds; it only names no turns.
  const compiled =
    label.when === undefined ? undefined : compilePredicate(label.when, scopeOf("when", over), params);
  const found = compiled?.ok === true ? compiled.predicate.needs : [];
  return [...new Set(found)].sort();
}
