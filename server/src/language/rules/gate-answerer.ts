import { z } from "zod";
import { unanswerableGates } from "../../decision/gates/whoAnswers.ts";
import { proposersOf } from "../../project/proposersOf.ts";
import { projectIn } from "../syntax/typedSpec.ts";
import { defineRule } from "../rule/rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";

export const gateAnswerer = defineRule({
  meta: {
    id: "gate-answerer",
    severity: "error",
    kinds: ["project"],
    docs: "Somebody can answer every gate: a gate that asks a proposer of another kind than the author needs a second proposer that can judge a draft. An evolution with a gate that nobody can answer does not start.",
    example: {
      wrong: `gates: { autonomy: full, design: proposer-of-another-kind }`,
      right: `gates: { autonomy: full, design: human }`,
    },
  },
  data: z.undefined(),
  *check({ spec }) {
    const declared = projectIn(spec);
    if (!declared) return;
    for (const { gate, message } of unanswerableGates(declared.gates, proposersOf(declared)))
      yield { span: spanFor(spec, ["gates", gate]), message, data: undefined };
  },
});
