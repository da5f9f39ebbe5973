import { z } from "zod";
import { mappingProblems } from "../../evidence/mapping/mappingExpressions.ts";
import { expressionKeys, expressionProblems } from "../../diagnosis/label/labelExpressions.ts";
import { diagnosticAround } from "../expressions/expressionsOf.ts";
import { defineRule } from "../rule/rule.ts";
import { treeAt } from "../syntax/parseSpec.ts";
import { spanInside } from "../syntax/spanInside.ts";

export const expression = defineRule({
  meta: {
    id: "expression",
    severity: "error",
    kinds: ["diagnostic", "evidence"],
    docs: "A CEL expression parses, uses only names that exist, and can run: on the archive, or on the records of a file.",
    example: {
      wrong: `label: { when: longest_streak >= 8 }`,
      right: `label: { when: longest_tool_streak >= 8 }`,
    },
  },
  data: z.null(),
  *check({ spec }) {
    if (spec.kind === "evidence") {
      for (const { path, text, message, start, end } of mappingProblems(spec.value))
        yield { span: spanInside(spec, path, text, { start, end }), message, data: null };
      return;
    }
    const { over, params } = diagnosticAround(spec.value);
    for (const key of expressionKeys) {
      const path = ["label", key];
      const node = treeAt(spec, path);
      if (node?.type !== "scalar" || typeof node.value !== "string" || node.value === "") continue;
      for (const problem of expressionProblems(key, node.value, over, params))
        yield { span: spanInside(spec, path, node.value, problem), message: problem.message, data: null };
    }
  },
});
