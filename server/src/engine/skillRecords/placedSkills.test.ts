import assert from "node:assert/strict";
import { SkillSpec } from "../../../../shared/spec/skill.ts";
import { whyUnoffered } from "../../proposals/skillIdeas.ts";
import { placedSkills } from "./placedSkills.ts";

const lineage = { domain: "swe", versions: [], problems: [] };
const found = (name: string, path: string, domain: string): { spec: SkillSpec; file: string } => ({
  file: `${name}.skill.yaml`,
  spec: SkillSpec.parse({
    ...{ apiVersion: "evotrainer/v1", kind: "Skill", name, factor: "environment" },
    ...{ when: { targets: ["low-score"] }, expects: { direction: "increase" } },
    edit: [{ path, from: 10, to: name.length + 10 }],
    validations: [{ domain, version: "v2", change: 0.2, low: 0.1, high: 0.3 }],
  }),
});

describe("the skills of a project and a library together", () => {
  it("are offered in a third domain where two of them that are alike were confirmed in one each", () => {
    const project = [found("more", "turnLimit", "math")];
    const library = [found("most-of-all", "turnLimit", "code"), found("other", "tests", "code")];
    const { skills } = placedSkills({ project, library }, lineage);
    assert.deepEqual(
      skills.map((one) => [one.spec.name, one.record.alike, whyUnoffered(one, "swe") === null]),
      [
        ["more", [{ name: "most-of-all", domains: ["code"] }], true],
        ["most-of-all", [{ name: "more", domains: ["math"] }], true],
        ["other", [], false],
      ],
    );
  });
});
