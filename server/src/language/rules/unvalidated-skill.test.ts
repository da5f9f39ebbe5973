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
  it("accepts one version that confirms it", () =>
    check("validations: [{ domain: swe, version: v4, change: 0.03 }]\n"));
  it("wants one", () =>
    check(`validations: []
^^^^^^^^^^^ unvalidated-skill: No version confirms binary
`));
  it("wants one that confirms it", () =>
    check(`validations: [{ domain: swe, version: v4, change: 0, outcome: inside_noise }]
^^^^^^^^^^^ unvalidated-skill: None of the versions in which binary was tried confirmed it.
`));
  it("shows it at the name when there is no list", () => {
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
