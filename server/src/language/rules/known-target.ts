import { z } from "zod";
import { didYouMean, similar } from "../../base/similar.ts";
import { labelNames } from "../project/names.ts";
import { interventionIn } from "../syntax/typedSpec.ts";
import { defineRule } from "../rule/rule.ts";
import { locate, spanFor, type Path } from "../syntax/parseSpec.ts";

const Data = z.object({ path: z.array(z.union([z.string(), z.number()])), near: z.array(z.string()) });

export const knownTarget = defineRule({
  meta: {
    id: "known-target",
    severity: "error",
    kinds: ["intervention"],
    docs: "Targets and predictions name labels, alerts or rules that exist: diagnostics of the project, or of the library if the project uses them. EvoTrainer never proposes an intervention for a finding that nothing produces.",
    example: {
      wrong: `targets: [insuficient-signal]`,
      right: `targets: [insufficient-signal]`,
    },
  },
  data: Data,
  *check({ spec, project }) {
    const intervention = interventionIn(spec);
    if (!intervention || !project?.spec) return;
    const known = labelNames(project);
    const { targets, predicts } = intervention;
    const named: readonly (readonly [path: Path, names: readonly string[]])[] = [
      [["targets"], targets],
      [["predicts", "fixes"], predicts.fixes],
      [["predicts", "risks"], predicts.risks],
    ];
    for (const [path, names] of named)
      for (const [i, name] of names.entries())
        if (!known.has(name))
          yield {
            span: spanFor(spec, [...path, i]),
            message: `No diagnostic of the project or its library is called ${name}.${didYouMean(name, known)}`,
            data: { path: [...path, i], near: similar(name, known) },
          };
  },
  fix({ spec }, { path, near }) {
    const span = locate(spec, path).value;
    return span ? near.map((name) => ({ title: `Change to ${name}`, edits: [{ span, text: name }] })) : [];
  },
});
