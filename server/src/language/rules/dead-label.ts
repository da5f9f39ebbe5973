import { z } from "zod";
import { failedExamples } from "../../diagnosis/examples.ts";
import { diagnosticIn } from "../project/typedSpec.ts";
import { defineRule } from "../rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";

/** Fewer subjects say too little about how rare something is. */
const enough = 100;

export const deadLabel = defineRule({
  meta: {
    id: "dead-label",
    severity: "warning",
    kinds: ["diagnostic"],
    docs: "A label tells rollouts apart: some archived rollouts have it and some have not. One that none has is fine where it makes a version invalid, or where an example that holds shows what it would catch.",
    example: {
      wrong: `label: { when: n_turns >= 0 }`,
      right: `label: { when: n_turns >= 40 }`,
    },
  },
  data: z.null(),
  *check({ spec, project }) {
    const diagnostic = diagnosticIn(spec);
    const fact = diagnostic && project?.facts?.labels[diagnostic.name];
    if (!fact || fact.of < enough) return;
    const span = spanFor(spec, ["label", "when"]);
    const over = diagnostic.over;
    const all = `${fact.of.toLocaleString("en")} archived ${over}s`;
    if (fact.rollouts >= fact.of)
      yield { span, message: `All of ${all} have this label: it tells nothing apart.`, data: null };
    else if (fact.rollouts === 0 && !diagnostic.label.invalidates && !isShown(diagnostic))
      yield {
        span,
        message: `None of ${all} has this label, and no example shows what it would catch.`,
        data: null,
      };
  },
});

/** Whether an example that is written out and holds has the label. */
function isShown(diagnostic: NonNullable<ReturnType<typeof diagnosticIn>>): boolean {
  const failed = new Set(failedExamples(diagnostic).map(({ index }) => index));
  return diagnostic.examples.some(
    ({ expect, rollout }, i) => expect === "labelled" && typeof rollout !== "string" && !failed.has(i),
  );
}
