import { z } from "zod";
import { frozenSurfaces } from "../../project/surfaces.ts";
import { projectIn } from "../syntax/typedSpec.ts";
import { defineRule } from "../rule/rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";

export const frozenSurface = defineRule({
  meta: {
    id: "frozen-surface",
    severity: "error",
    kinds: ["project"],
    docs: "No surface is part of the evaluation, also not as a file of a folder or a pattern that `evaluation.files` names, or over a link: a version that could change what it is measured with could raise its own score.",
    example: {
      wrong: `evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
  files: [harness/eval]
surfaces: [{ factor: environment, file: harness/eval/limits.yaml }]`,
      right: `evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
  files: [harness/eval]
surfaces: [{ factor: environment, file: harness/limits.yaml }]`,
    },
  },
  data: z.undefined(),
  *check({ spec, project }) {
    const declared = projectIn(spec);
    if (!declared) return;
    for (const { index, file, message } of frozenSurfaces(declared, project?.links)) {
      const place = file === null ? ["file"] : ["files", file];
      yield { span: spanFor(spec, ["surfaces", index, ...place]), message, data: undefined };
    }
  },
});
