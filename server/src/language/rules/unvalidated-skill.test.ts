import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { unvalidatedSkill } from "./unvalidated-skill.ts";

const check = (validations: string): void => {
  checkMarked({
    kind: "skill",
    rules: [unvalidatedSkill],
    text: `
apiVersion: evotrainer/v1
kind: Skill
name: binary
when: { targets: [insufficient-signal] }
factor: reward
edit: [{ path: components.correctness.shape, to: binary }]
expects: { direction: increase }
${validations}`,
  });
};

describe("rule unvalidated-skill", () => {
  it("accepts a skill that one version confirms", () =>
    check("validations: [{ domain: swe, version: v4, change: 0.03 }]\n"));
  it("asks for a version", () =>
    check(`validations: []
^^^^^^^^^^^ unvalidated-skill: No version confirms binary
`));
  it("asks for a version that confirms the skill", () =>
    check(`validations: [{ domain: swe, version: v4, change: 0, outcome: inside_noise }]
^^^^^^^^^^^ unvalidated-skill: None of the versions in which binary was tried confirmed it.
`));
  it("marks the name when there is no list", () => {
    checkMarked({
      kind: "skill",
      rules: [unvalidatedSkill],
      text: `
apiVersion: evotrainer/v1
kind: Skill
name: binary
^^^^ unvalidated-skill
when: { targets: [insufficient-signal] }
factor: reward
edit: [{ path: components.correctness.shape, to: binary }]
expects: { direction: increase }
`,
    });
  });
});
