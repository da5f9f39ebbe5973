import type { AnyRule, Fix, RuleContext } from "../rule/rule.ts";

/** The fixes for one diagnostic, found by its code and made from its data. */
export function fixesFor(
  context: RuleContext,
  rules: readonly AnyRule[],
  diagnostic: { readonly code: unknown; readonly data: unknown },
): readonly Fix[] {
  const rule = rules.find(({ meta }) => meta.id === diagnostic.code);
  return rule?.fix?.(context, diagnostic.data) ?? [];
}
