import type { AnyRule, TextEdit } from "../rule/rule.ts";
import type { FeatureContext } from "../symbols/featureContext.ts";

type Finding = { readonly code: string; readonly data: unknown };

/** The first fix of every finding that has one, as far as they do not touch the same text. */
export function fixAll(
  context: FeatureContext,
  rules: readonly AnyRule[],
  findings: readonly Finding[],
): readonly TextEdit[] {
  const taken: TextEdit[] = [];
  for (const finding of findings) {
    const edits = firstFix(context, rules, finding);
    const isFree = edits.every(({ span }) =>
      taken.every((other) => other.span.end < span.start || span.end < other.span.start),
    );
    if (isFree) taken.push(...edits);
  }
  return taken;
}

function firstFix(
  context: FeatureContext,
  rules: readonly AnyRule[],
  { code, data }: Finding,
): readonly TextEdit[] {
  const fixes = rules.find(({ meta }) => meta.id === code)?.fix?.(context, data) ?? [];
  // Where several things may have been meant, a person chooses.
  return fixes.length === 1 ? (fixes[0]?.edits ?? []) : [];
}
