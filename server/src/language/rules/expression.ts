import { isScalar } from "yaml";
import { z } from "zod";
import { compileCondition } from "../../diagnosis/compileSql.ts";
import { defineRule } from "../rule.ts";
import { spanFor, type ParsedSpec, type Span } from "../syntax/parseSpec.ts";

const expressions = [
  { path: ["label", "when"], scope: "rollout" },
  { path: ["label", "evidence"], scope: "turn" },
] as const;

export const expression = defineRule({
  meta: {
    id: "expression",
    severity: "error",
    kinds: ["diagnostic"],
    docs: "A CEL expression parses, type-checks against the evidence contract, and can be run on the archive.",
  },
  data: z.null(),
  *check({ spec }) {
    for (const { path, scope } of expressions) {
      const node: unknown = spec.document?.getIn(path, true);
      if (!isScalar(node) || typeof node.value !== "string" || node.value === "") continue;
      const compiled = compileCondition(node.value, scope);
      if (!compiled.ok)
        yield {
          span: place(spec, path, node.value, compiled.problem),
          message: compiled.problem.message,
          data: null,
        };
    }
  },
});

/** The range inside the expression where its text stands in the file as it is; a folded or escaped one is marked whole. */
function place(spec: ParsedSpec, path: readonly string[], text: string, { start, end }: Span): Span {
  const whole = spanFor(spec, path);
  const at = spec.text.slice(whole.start, whole.end).indexOf(text);
  if (at < 0) return whole;
  const last = Math.min(end, text.length);
  return { start: whole.start + at + Math.min(start, last - 1), end: whole.start + at + last };
}
