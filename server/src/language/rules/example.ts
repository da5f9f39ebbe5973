import { z } from "zod";
import { diagnosticIn } from "../syntax/typedSpec.ts";
import { failedExamples } from "../../diagnosis/examples.ts";
import { triedExamples } from "../archive/triedConditions.ts";
import { defineRule } from "../rule/rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";

export const example = defineRule({
  meta: {
    id: "example",
    severity: "error",
    kinds: ["diagnostic"],
    archive: "part",
    docs: "The diagnostic labels its examples as they expect. This covers the examples that are written out, and those that name a rollout in the archive. Rollouts of the audit split are sealed and are not tried.",
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
  *check({ spec, project }) {
    const diagnostic = diagnosticIn(spec);
    if (diagnostic === undefined) return;
    for (const { index, message } of failedExamples(diagnostic))
      yield { span: spanFor(spec, ["examples", index, "expect"]), message, data: undefined };
    for (const { index, rollout, expect, isLabelled } of triedExamples(diagnostic, project?.tried)) {
      if (isLabelled === (expect === "labelled")) continue;
      const message = isLabelled
        ? `The archived rollout ${rollout} is labelled, but the example says that it is clear.`
        : `The archived rollout ${rollout} is not labelled, but the example says that it is.`;
      yield { span: spanFor(spec, ["examples", index, "expect"]), message, data: undefined };
    }
  },
});
