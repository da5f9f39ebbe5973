import { z } from "zod";
import { changedFactors } from "../project/configDiff.ts";
import { describeFactors } from "../project/describeFactors.ts";
import { defineRule } from "../rule/rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";

export const factorDistance = defineRule({
  meta: {
    id: "factor-distance",
    severity: "info",
    kinds: ["config", "reward"],
    docs: "Shows how far a config is from the parent version: which factors differ, and in how many values. A config that differs in one factor can become a version.",
    example: {
      wrong: `# the parent has 1.0e-6\nactor_rollout_ref: { actor: { optim: { lr: 2.0e-6 } } }`,
      right: `actor_rollout_ref: { actor: { optim: { lr: 1.0e-6 } } }`,
    },
  },
  data: z.null(),
  *check({ spec, project, path }) {
    const parent = project?.parent;
    const factors = parent && changedFactors(project);
    const first = [...(factors?.values() ?? [])].flat().find(({ file }) => file === path);
    if (!factors || !first) return;
    yield {
      span: spanFor(spec, first.path.split("."), "key"),
      message: `The harness is ${factors.size === 1 ? "one factor" : `${factors.size} factors`} away from ${parent.name}: ${describeFactors(factors)}.`,
      data: null,
    };
  },
});
