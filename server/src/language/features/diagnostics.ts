import type { AnyRule, RuleContext, Severity } from "../rule/rule.ts";
import type { ParsedSpec, Span } from "../syntax/parseSpec.ts";

export type SpecDiagnostic = {
  readonly code: string;
  readonly severity: Severity;
  readonly span: Span;
  readonly message: string;
  readonly data: unknown;
};

/** More findings of one rule than these are not told: nobody reads them, and a long file would be checked for minutes. */
const maxFindings = 100;

/** What rules found that looked at nothing but the spec: it stays so for as long as the text does. */
const found = new WeakMap<ParsedSpec, Map<AnyRule, readonly SpecDiagnostic[]>>();

/** Everything that the rules find in one spec, in the order of the text; of each rule the first hundred. */
export function diagnose(context: RuleContext, rules: readonly AnyRule[]): SpecDiagnostic[] {
  const { spec } = context;
  return rules
    .filter(({ meta }) => meta.kinds === "all" || meta.kinds.includes(spec.kind))
    .flatMap((rule) => found.get(spec)?.get(rule) ?? findingsOf(rule, context))
    .sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
}

function findingsOf(rule: AnyRule, context: RuleContext): readonly SpecDiagnostic[] {
  const { spec } = context;
  const watched = new Watched(context);
  const { id: code, severity } = rule.meta;
  const findings: SpecDiagnostic[] = [];
  for (const { span, message, data } of rule.check(watched)) {
    if (findings.push({ code, severity, span, message, data }) >= maxFindings) break;
  }
  if (!watched.around) {
    const own = found.get(spec) ?? new Map<AnyRule, readonly SpecDiagnostic[]>();
    found.set(spec, own.set(rule, findings));
  }
  return findings;
}

/** Knows whether a rule has looked at anything but the spec. */
class Watched implements RuleContext {
  readonly spec: ParsedSpec;
  readonly #context: RuleContext;
  around = false;

  constructor(context: RuleContext) {
    this.spec = context.spec;
    this.#context = context;
  }

  get project(): RuleContext["project"] {
    this.around = true;
    return this.#context.project;
  }

  get path(): RuleContext["path"] {
    this.around = true;
    return this.#context.path;
  }
}
