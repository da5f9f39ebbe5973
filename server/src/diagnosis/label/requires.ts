import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { compilePredicate } from "../../predicate/compile.ts";
import { scopeOf } from "./labelExpressions.ts";

/** Fields of the contract without which a diagnostic says nothing, sorted; empty when it does not compile. */
export function requiredFields(spec: DiagnosticSpec): string[] {
  const { over, params, label } = spec;
  if (label.analyzer !== undefined) return label.analyzer.reads?.toSorted() ?? [];
  const found = (["when", "evidence"] as const).flatMap((key) => {
    const text = label[key];
    const compiled = text === undefined ? undefined : compilePredicate(text, scopeOf(key, over), params);
    return compiled?.ok === true ? compiled.predicate.needs : [];
  });
  return [...new Set(found)].sort();
}
