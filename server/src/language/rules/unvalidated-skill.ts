import { z } from "zod";
import { skillIn } from "../syntax/typedSpec.ts";
import { defineRule } from "../rule/rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";

export const unvalidatedSkill = defineRule({
  meta: {
    id: "unvalidated-skill",
    severity: "warning",
    kinds: ["skill"],
    docs: "A skill was confirmed in at least one version; until then it is an intervention.",
    example: {
      wrong: `validations: []`,
      right: `validations: [{ domain: swe, version: v4, change: 0.03, low: 0.01, high: 0.05, outcome: confirmed }]`,
    },
  },
  data: z.null(),
  *check({ spec }) {
    const skill = skillIn(spec);
    if (!skill || skill.validations.some(({ outcome }) => outcome === "confirmed")) return;
    const span = spanFor(
      spec,
      skill.validations.length > 0 || hasKey(spec.value) ? ["validations"] : ["name"],
      "key",
    );
    yield {
      span,
      message:
        skill.validations.length === 0
          ? `No version confirms ${skill.name}: add the versions in which it was tried, or keep it as an intervention.`
          : `None of the versions in which ${skill.name} was tried confirmed it.`,
      data: null,
    };
  },
});

const hasKey = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.hasOwn(value, "validations");
