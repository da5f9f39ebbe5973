import { z } from "zod";
import { labelNames } from "../project/names.ts";
import { diagnosticIn, interventionIn } from "../project/typedSpec.ts";
import { defineRule, type ProjectContext } from "../rule.ts";
import { locate, spanFor } from "../syntax/parseSpec.ts";

const Data = z.object({ metrics: z.array(z.string()) });

/** Labels of the library that a change most often makes worse without the score telling. */
const usual = ["reward-hacking", "length-gaming", "exploration-collapse"];

export const missingGuardrail = defineRule({
  meta: {
    id: "missing-guardrail",
    severity: "info",
    kinds: ["intervention"],
    docs: "An intervention says what must not get worse: a guardrail, or at least a risk that its record is held to. With neither, only the score is looked at.",
    example: {
      wrong: `success: { metric: solve_rate, atLeast: 0.02 }`,
      right: `success: { metric: solve_rate, atLeast: 0.02 }\nguardrails: [{ metric: history-leak, atMost: 0 }]`,
    },
  },
  data: Data,
  *check({ spec, project }) {
    const intervention = interventionIn(spec);
    if (!intervention || !project?.spec) return;
    if (intervention.guardrails.length > 0 || intervention.predicts.risks.length > 0) return;
    yield {
      span: spanFor(spec, ["success"], "key"),
      message: "Nothing here says what must not get worse: add a guardrail, or name the risks under predicts.",
      data: { metrics: worthGuarding(project, intervention.targets) },
    };
  },
  fix({ spec }, { metrics }) {
    const present = locate(spec, ["guardrails"]).value;
    return metrics.map((metric) => {
      const guardrail = `{ metric: ${metric}, atMost: 0 }`;
      if (present) return { title: `Guard ${metric}`, edits: [{ span: present, text: `[${guardrail}]` }] };
      const end = spec.text.length;
      const text = `${spec.text.endsWith("\n") ? "" : "\n"}guardrails: [${guardrail}]\n`;
      return { title: `Guard ${metric}`, edits: [{ span: { start: end, end }, text }] };
    });
  },
});

/** Labels that make a version invalid come first, then what the library knows as side effects. */
function worthGuarding(project: ProjectContext, targets: readonly string[]): string[] {
  const grave = project
    .specs()
    .filter(({ spec }) => spec.kind === "diagnostic" && diagnosticIn(spec)?.label.invalidates === true)
    .map(({ name }) => name);
  const known = labelNames(project);
  return [...grave, ...usual.filter((name) => known.has(name))]
    .filter((name) => !targets.includes(name))
    .slice(0, 3);
}
