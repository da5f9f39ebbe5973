import { z } from "zod";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { defineRule } from "../rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";
import { covers } from "../syntax/valuePath.ts";

export const frozenValue = defineRule({
  meta: {
    id: "frozen-value",
    severity: "error",
    kinds: ["intervention"],
    docs: "Frozen values and the evaluation files stay as the parent has them.",
  },
  data: z.undefined(),
  *check({ spec, project }) {
    const intervention = InterventionSpec.safeParse(spec.value).data;
    if (!intervention || !project?.spec) return;
    const { frozen, evaluation } = project.spec;
    for (const [i, { file, path }] of intervention.edit.entries()) {
      if ([...evaluation.files, ...Object.values(evaluation.splits)].includes(file))
        yield {
          span: spanFor(spec, ["edit", i, "file"]),
          message: `${file} is part of the evaluation, which is the same in every version.`,
          data: undefined,
        };
      else if (frozen.some((keys) => keys.file === file && covers(keys.paths, path)))
        yield {
          span: spanFor(spec, ["edit", i, "path"]),
          message: `${path} of ${file} is frozen by evotrainer.yaml.`,
          data: undefined,
        };
    }
  },
});
