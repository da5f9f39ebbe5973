import type { AnyRule, RuleContext, Severity } from "../rule.ts";
import type { Span } from "../syntax/parseSpec.ts";

export type SpecDiagnostic = {
  readonly code: string;
  readonly severity: Severity;
  readonly span: Span;
  readonly message: string;
  readonly data: unknown;
};

/** More findings of one rule than these are not told: nobody reads them, and a long file would be checked for minutes. */
const maxFindings = 100;

/** Everything that the rules find in one spec, in the order of the text; of each rule the first hundred. */
export function diagnose(context: RuleContext, rules: readonly AnyRule[]): SpecDiagnostic[] {
  return rules
    .filter(({ meta }) => meta.kinds === "all" || meta.kinds.includes(context.spec.kind))
    .flatMap(({ meta, check }) =>
      Array.from(first(maxFindings, check(context)), ({ span, message, data }) => ({
        code: meta.id,
        severity: meta.severity,
        span,
        message,
        data,
      })),
    )
    .sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
}

function* first<T>(most: number, found: Iterable<T>): Generator<T> {
  let count = 0;
  for (const one of found) {
    if (count++ >= most) return;
    yield one;
  }
}
