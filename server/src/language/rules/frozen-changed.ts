import { stringify } from "yaml";
import { z } from "zod";
import { Scalar } from "../../../../shared/spec/common.ts";
import { configChanges } from "../project/configDiff.ts";
import { defineRule } from "../rule/rule.ts";
import { scalarText } from "../syntax/scalarText.ts";
import { locate, spanFor } from "../syntax/parseSpec.ts";

const Data = z.object({ path: z.string(), before: Scalar.optional() });

export const frozenChanged = defineRule({
  meta: {
    id: "frozen-changed",
    severity: "error",
    kinds: ["config", "reward"],
    docs: "Frozen values of a config are the same as in the parent: no version may change what evotrainer.yaml freezes.",
    example: {
      wrong: `# evotrainer.yaml: frozen: [{ file: harness/grpo.yaml, paths: [data.seed] }]; the parent has 17\ndata: { seed: 42 }`,
      right: `data: { seed: 17 }`,
    },
  },
  data: Data,
  *check({ spec, project, path: file }) {
    if (!project?.parent) return;
    for (const change of configChanges(project)) {
      if (change.file !== file || !change.isFrozen) continue;
      const { path, from, to } = change;
      const what =
        to === undefined
          ? `${path} is missing`
          : from === undefined
            ? `${path} is new`
            : `${path} is ${shown(to)} instead of ${shown(from)}`;
      yield {
        span: spanFor(spec, path.split(".")),
        message: `${what}, but it is frozen: it must stay as in ${project.parent.name}.`,
        data: { path, ...(from !== undefined && { before: from }) },
      };
    }
  },
  fix({ spec }, { path, before }) {
    const span = locate(spec, path.split(".")).value;
    return span && before !== undefined
      ? [
          {
            title: `Change back to ${shown(before)}`,
            edits: [{ span, text: scalarText(before, spec.text.slice(span.start, span.end)) }],
          },
        ]
      : [];
  },
});

const shown = (value: Scalar): string => stringify(value).trimEnd();
