import { placedEdits } from "../../../../shared/spec/edit.ts";
import { z } from "zod";
import { interventionIn } from "../syntax/typedSpec.ts";
import { frozenBy } from "../../project/frozen/frozenPaths.ts";
import { isFrozen } from "../../project/surfaces.ts";
import { defineRule } from "../rule/rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";

export const frozenValue = defineRule({
  meta: {
    id: "frozen-value",
    severity: "error",
    kinds: ["intervention"],
    docs: "No intervention changes a frozen value or an evaluation file; both stay as they are in the parent.",
    example: {
      wrong: `# evotrainer.yaml: frozen: [{ file: harness/train.yaml, paths: [steps] }]
edit: [{ file: harness/train.yaml, path: steps, from: 80, to: 160 }]`,
      right: `edit: [{ file: harness/train.yaml, path: optimisation.kl, from: 0.03, to: 0.1 }]`,
    },
  },
  data: z.undefined(),
  *check({ spec, project }) {
    const intervention = interventionIn(spec);
    if (!intervention || !project?.spec) return;
    const by = frozenBy(project.spec, project.links);
    for (const [i, { file, path }] of placedEdits(intervention.edit)) {
      if (by(file) !== undefined)
        yield {
          span: spanFor(spec, ["edit", i, "file"]),
          message: `${file} is part of the evaluation, which is the same in every version.`,
          data: undefined,
        };
      else if (isFrozen(project.spec, { file, path }, by))
        yield {
          span: spanFor(spec, ["edit", i, "path"]),
          message: `${path} of ${file} is frozen by evotrainer.yaml.`,
          data: undefined,
        };
    }
  },
});
