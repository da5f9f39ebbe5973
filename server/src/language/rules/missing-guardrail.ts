import { z } from "zod";
import { perProject } from "../project/perProject.ts";
import { diagnosticIn, interventionIn } from "../syntax/typedSpec.ts";
import { defineRule, type ProjectContext } from "../rule/rule.ts";
import { locate, spanFor } from "../syntax/parseSpec.ts";

const Data = z.object({ guardrails: z.array(z.object({ metric: z.string(), atMost: z.number() })) });

/** Numbers that a change most often makes worse without the score telling, at the thresholds of the field. */
const usual = [
  { metric: "length_reward_correlation", atMost: 0.3 },
  { metric: "dead_group_ratio", atMost: 0.5 },
] as const;

export const missingGuardrail = defineRule({
  meta: {
    id: "missing-guardrail",
    severity: "info",
    kinds: ["intervention"],
    docs: "An intervention says what must not get worse: it has a guardrail, or at least predicts a risk that is later compared with the result. Without both, only the score decides.",
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
      message:
        "Nothing here says what must not get worse: add a guardrail, or name the risks under predicts.",
      data: { guardrails: [...graveLabels(project, intervention.targets), ...usual].slice(0, 3) },
    };
  },
  fix({ spec }, { guardrails }) {
    const present = locate(spec, ["guardrails"]).value;
    return guardrails.map(({ metric, atMost }) => {
      const guardrail = `{ metric: ${metric}, atMost: ${atMost} }`;
      if (present) return { title: `Guard ${metric}`, edits: [{ span: present, text: `[${guardrail}]` }] };
      const end = spec.text.length;
      const text = `${spec.text.endsWith("\n") ? "" : "\n"}guardrails: [${guardrail}]\n`;
      return { title: `Guard ${metric}`, edits: [{ span: { start: end, end }, text }] };
    });
  },
});

/** Labels that make a version invalid: one rollout with one of them is too many. */
const invalidating = perProject((project): readonly string[] =>
  project
    .specs()
    .filter(({ spec }) => spec.kind === "diagnostic" && diagnosticIn(spec)?.label.invalidates === true)
    .map(({ name }) => name),
);

const graveLabels = (
  project: ProjectContext,
  targets: readonly string[],
): { readonly metric: string; readonly atMost: number }[] =>
  invalidating(project)
    .filter((name) => !targets.includes(name))
    .map((name) => ({ metric: name, atMost: 0 }));
