import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import type { FormatCoverage } from "../evidence/archive/coverage.ts";
import { requiredFields } from "./label/requires.ts";

/** What is computed from every version's evidence without a spec, and what it needs. */
const builtIn: Readonly<Record<string, readonly string[]>> = {
  "solve rate": ["outcome"],
  "reward replay": ["components"],
  "stop reasons": ["stop_reason"],
};

/** A diagnostic that the evidence of a format cannot feed. */
export interface Disabled {
  readonly diagnostic: string;
  /** Fields that no rollout has. */
  readonly needs: readonly string[];
  readonly format: string;
}

/** The diagnostics that have nothing to look at, format by format. */
export function disabledDiagnostics(
  coverage: readonly FormatCoverage[],
  specs: readonly DiagnosticSpec[],
): Disabled[] {
  const wanted = [
    ...Object.entries(builtIn),
    ...specs.map((spec): [string, readonly string[]] => [spec.name, requiredFields(spec)]),
  ];
  return coverage.flatMap(({ format, missing }) => {
    const lacks = new Set(missing.map(({ field }) => field));
    return wanted
      .map(([diagnostic, fields]) => ({ diagnostic, needs: fields.filter((f) => lacks.has(f)), format }))
      .filter(({ needs }) => needs.length > 0);
  });
}
