import { z } from "zod";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { factorsAt } from "../../project/surfaces.ts";
import { defineRule } from "../rule.ts";
import { locate, spanFor } from "../syntax/parseSpec.ts";
import { listed } from "../../base/similar.ts";

/** The factor that the edits really change, when it is one. */
const Data = z.object({ factor: z.string().nullable() });

export const oneFactor = defineRule({
  meta: {
    id: "one-factor",
    severity: "error",
    kinds: ["intervention"],
    docs: "An intervention changes values of exactly one factor, inside the surfaces that the project declares.",
    example: {
      wrong: `factor: reward
edit:
  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }
  - { file: harness/train.yaml, path: sampling.temperature, from: 1, to: 1.2 }`,
      right: `factor: reward
edit:
  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }`,
    },
  },
  data: Data,
  *check({ spec, project }) {
    const intervention = InterventionSpec.safeParse(spec.value).data;
    const declared = project?.spec;
    if (!intervention || !declared) return;
    const { factor } = intervention;
    const factorsOf = intervention.edit.map((edit) => factorsAt(declared, edit));
    const [first = [], ...rest] = factorsOf;
    const common = first.filter((f) => rest.every((factors) => factors.includes(f)));
    const data = { factor: common.length === 1 ? (common[0] ?? null) : null };
    for (const [i, { file, path }] of intervention.edit.entries()) {
      const factors = factorsOf[i] ?? [];
      if (factors.includes(factor)) continue;
      const knownFile = declared.surfaces.some((surface) => surface.file === file);
      yield {
        span: spanFor(spec, ["edit", i, knownFile ? "path" : "file"]),
        message:
          factors.length > 0
            ? `${path} of ${file} belongs to the factor ${listed(factors.map((f) => `"${f}"`))}, but this intervention changes "${factor}".`
            : `No surface of evotrainer.yaml covers ${path} of ${file}; an intervention may change declared surfaces only.`,
        data: factors.length > 0 ? data : { factor: null },
      };
    }
  },
  fix({ spec }, { factor }) {
    const span = locate(spec, ["factor"]).value;
    return factor !== null && span
      ? [{ title: `Change the factor to "${factor}"`, edits: [{ span, text: factor }] }]
      : [];
  },
});
