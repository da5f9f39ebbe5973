import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { compilePredicate, type Predicate } from "../predicate/compile.ts";
import { unusable } from "./label/compileLabel.ts";

/** @throws HarnessError specInvalid when the condition does not compile */
export function compileVersion(spec: DiagnosticSpec, key: "when" | "critical"): Predicate {
  const compiled = compilePredicate(spec.label[key] ?? "", "version", spec.params);
  if (!compiled.ok) throw unusable(spec, key, compiled.problems);
  return compiled.predicate;
}
