import { figure, percent as percentText } from "../../../../shared/words/numbers.ts";
import type { Params } from "../../predicate/check.ts";
import { compileValue, type CompiledValue } from "../../predicate/compileValue.ts";
import type { Facts } from "../../predicate/facts.ts";
import type { PredicateProblem, Value } from "../../predicate/types.ts";

/** A sentence with the values of a version in it. */
export type MessageResult =
  | { readonly ok: true; readonly render: (facts: Facts) => string }
  | { readonly ok: false; readonly problems: readonly PredicateProblem[] };

type Part = string | { readonly compiled: CompiledValue; readonly percent: boolean };

/**
 * Compiles a finding's sentence: `{expression}` stands for a value, `{expression%}` for a number as a percentage. Never
 * throws on bad input; a problem's range is that in the whole sentence.
 */
export function compileMessage(text: string, params: Params = {}): MessageResult {
  const parts: Part[] = [];
  const problems: PredicateProblem[] = [];
  let at = 0;
  for (const found of text.matchAll(/\{([^{}]*)\}/g)) {
    const start = found.index + 1;
    const inside = found[1] ?? "";
    const percent = inside.endsWith("%");
    const expression = percent ? inside.slice(0, -1) : inside;
    parts.push(text.slice(at, found.index));
    at = found.index + found[0].length;
    const compiled = compileValue(expression, "version", params);
    if (!compiled.ok)
      problems.push(...compiled.problems.map((p) => ({ ...p, start: p.start + start, end: p.end + start })));
    else if (percent && compiled.compiled.type !== "double" && compiled.compiled.type !== "int")
      problems.push({ start, end: start + expression.length, message: "Only a number has a percentage." });
    else parts.push({ compiled: compiled.compiled, percent });
  }
  parts.push(text.slice(at));
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    render: (facts) =>
      parts
        .map((part) => (typeof part === "string" ? part : shown(part.compiled.value(facts), part.percent)))
        .join(""),
  };
}

function shown(value: Value, percent: boolean): string {
  if (value === null) return "an unknown value";
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  if (percent) return percentText(Number(value));
  return typeof value === "bigint" ? value.toString() : figure(value);
}
