import { z } from "zod";
import { isValueSurface } from "../../../../shared/spec/surface.ts";
import { frozenSurfaces, isFrozen } from "../../project/surfaces.ts";
import { projectIn } from "../syntax/typedSpec.ts";
import { defineRule } from "../rule/rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";

export const frozenSurface = defineRule({
  meta: {
    id: "frozen-surface",
    severity: "error",
    kinds: ["project"],
    docs: "No surface is part of the evaluation, not even as a file in a folder or a pattern that `evaluation.files` names, or through a link: a version that could change what it is measured with could raise its own score. No surface lies in what `frozen` names, because no version could ever change it.",
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
    for (const [index, surface] of declared.surfaces.entries()) {
      if (!isValueSurface(surface)) continue;
      const { file } = surface;
      // Without paths it is the whole file.
      for (const [i, path] of (surface.paths ?? [""]).entries())
        if (isFrozen(declared, { file, path }, () => undefined))
          yield {
            span: spanFor(spec, ["surfaces", index, ...(path === "" ? ["file"] : ["paths", i])]),
            message: `${path === "" ? file : `${path} of ${file}`} is both a surface and frozen, so no version may change it: take it out of \`surfaces\` or out of \`frozen\`.`,
            data: undefined,
          };
    }
  },
});
