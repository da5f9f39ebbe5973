import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import type { FormatCoverage } from "../evidence/archive/coverage.ts";
import { requiredFields } from "./label/requires.ts";

/** What is computed from every version's evidence without a spec, and what it needs. */
const builtIn: Readonly<Record<string, readonly string[]>> = {
  "solve rate": ["outcome"],
  "reward replay": ["components"],
  "stop reasons": ["stop_reason"],
};

/** A diagnostic that is not used on the evidence of a format. */
export interface Disabled {
  readonly diagnostic: string;
  /** Fields that no rollout has; or else the domains that the diagnostic is made for. */
  readonly needs: readonly string[];
  readonly format: string;
}

/**
 * The diagnostics that have nothing to look at, or that are made for other domains, format by format. That there are calls of tools
 * does not make a rollout one of software engineering.
 */
export function disabledDiagnostics(
  coverage: readonly FormatCoverage[],
  specs: readonly DiagnosticSpec[],
  domain: string,
): Disabled[] {
  const isOfOther = ({ domains }: DiagnosticSpec): boolean => domains?.includes(domain) === false;
  const wanted = [
    ...Object.entries(builtIn),
    ...specs
      .filter((spec) => !isOfOther(spec))
      .map((spec): [string, readonly string[]] => [spec.name, requiredFields(spec)]),
  ];
  const others = specs.filter(isOfOther).map(({ name, domains = [] }) => ({
    diagnostic: name,
    needs: [`the domain ${domains.join(" or ")}`],
  }));
  return coverage.flatMap(({ format, missing }) => {
    const lacks = new Set(missing.map(({ field }) => field));
    return [
      ...wanted.map(([diagnostic, fields]) => ({
        diagnostic,
        needs: fields.filter((f) => lacks.has(f)),
        format,
      })),
      ...others.map((other) => ({ ...other, format })),
    ].filter(({ needs }) => needs.length > 0);
  });
}
