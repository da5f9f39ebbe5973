import { z } from "zod";
import { diagnosticIn } from "../project/typedSpec.ts";
import { failedExamples } from "../../diagnosis/examples.ts";
import { defineRule } from "../rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";

export const example = defineRule({
  meta: {
    id: "example",
    severity: "error",
    kinds: ["diagnostic"],
    docs: "The examples of a diagnostic come out as they say, where they are written out.",
    example: {
      wrong: `label: { when: reward > 0.5 }
examples:
  - { rollout: { reward: 0.5 }, expect: labelled }`,
      right: `label: { when: reward > 0.5 }
examples:
  - { rollout: { reward: 0.5 }, expect: clear }`,
    },
  },
  data: z.undefined(),
  *check({ spec }) {
    const diagnostic = diagnosticIn(spec);
    if (diagnostic === undefined) return;
    for (const { index, message } of failedExamples(diagnostic))
      yield { span: spanFor(spec, ["examples", index, "expect"]), message, data: undefined };
  },
});
