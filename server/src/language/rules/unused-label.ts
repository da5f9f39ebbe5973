import { z } from "zod";
import { perProject } from "../project/perProject.ts";
import { diagnosticIn, interventionIn, skillIn } from "../syntax/typedSpec.ts";
import { defineRule } from "../rule/rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";

export const unusedLabel = defineRule({
  meta: {
    id: "unused-label",
    severity: "info",
    kinds: ["diagnostic"],
    docs: "Every label has a use: it raises an alert, makes a version invalid, is the target or the guardrail of an intervention or a skill, or another diagnostic reads it.",
    example: {
      wrong: `label: { when: longest_tool_streak >= 8 }`,
      right: `label: { when: longest_tool_streak >= 8 }\nalert: { above: 0.1 }`,
    },
  },
  data: z.null(),
  *check({ spec, project }) {
    const diagnostic = diagnosticIn(spec);
    if (!diagnostic || !project?.spec) return;
    // What is over a version is a finding by itself.
    if (diagnostic.alert || diagnostic.label.invalidates || diagnostic.over === "version") return;
    if (usedLabels(project).has(diagnostic.name)) return;
    yield {
      span: spanFor(spec, ["name"]),
      message: `Nothing uses the label ${diagnostic.name}: it has no alert, and no intervention, skill or diagnostic names it.`,
      data: null,
    };
  },
  fix({ spec }) {
    const end = spec.text.length;
    const text = `${spec.text.endsWith("\n") ? "" : "\n"}alert: { above: 0.1, critical: 0.25 }\n`;
    return [{ title: "Add an alert", edits: [{ span: { start: end, end }, text }] }];
  },
});

/** Every label that an intervention, a skill or the condition of another diagnostic names. */
const usedLabels = perProject((project): ReadonlySet<string> => {
  const used = new Set<string>();
  const add = (names: readonly string[]): void => names.forEach((name) => used.add(name));
  for (const { spec } of project.specs()) {
    const intervention = spec.kind === "intervention" ? interventionIn(spec) : undefined;
    if (intervention) {
      const { targets, predicts, guardrails, hypothesis } = intervention;
      add([...targets, ...predicts.fixes, ...predicts.risks, hypothesis.metric]);
      add(guardrails.map(({ metric }) => metric));
    }
    const skill = spec.kind === "skill" ? skillIn(spec) : undefined;
    if (skill)
      add([...skill.when.targets, ...skill.guardrails.map(({ metric }) => metric), skill.expects.metric]);
    const label = spec.kind === "diagnostic" ? diagnosticIn(spec)?.label : undefined;
    for (const text of [label?.when, label?.critical, label?.message])
      add([...(text ?? "").matchAll(/["']([a-z0-9][a-z0-9_-]{0,63})["']/g)].map(([, name = ""]) => name));
  }
  return used;
});
