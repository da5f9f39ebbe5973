import { z } from "zod";
import { defineRule } from "../rule/rule.ts";

export const syntax = defineRule({
  meta: {
    id: "syntax",
    severity: "error",
    kinds: "all",
    docs: "A spec is one YAML document.",
    example: { wrong: "targets: [dead-group, low-score", right: "targets: [dead-group, low-score]" },
  },
  data: z.undefined(),
  *check({ spec }) {
    for (const { span, message } of spec.problems) yield { span, message, data: undefined };
  },
});
