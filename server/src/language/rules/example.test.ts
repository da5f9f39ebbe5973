import { questionKey } from "../archive/triedConditions.ts";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { example } from "./example.ts";

const head = "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: a\n";
const check = (text: string): void => {
  checkMarked({ kind: "diagnostic", rules: [example], text: head + text });
};

describe("rule example", () => {
  it("accepts examples that hold, and examples that name an archived rollout", () =>
    check(`
params: { calls: 2 }
label: { when: n_tool_calls >= params.calls }
examples:
  - { rollout: run-1/7, expect: labelled }
  - { rollout: { turns: [{ tool: bash }, { tool: bash }] }, expect: labelled }
  - { rollout: { turns: [{ tool: bash }] }, expect: clear }
  - { rollout: {}, expect: clear }
`));

  it("marks an example that does not give the expected result", () =>
    check(`
label: { when: reward > 0.5 }
examples:
  - { rollout: { reward: 0.5 }, expect: labelled }
                                        ^^^^^^^^ example: This rollout is not labelled
  - { rollout: { reward: 1 }, expect: clear }
                                      ^^^^^ example: This rollout is labelled
  - { rollout: {}, expect: clear }
`));

  it("tries groups and versions", () =>
    check(`
over: group
label: { when: size >= 2 && reward_std < 0.1 }
examples:
  - { group: [{ reward: 1 }, { reward: 1 }], expect: labelled }
  - { group: [{ reward: 1 }, { reward: 0 }], expect: labelled }
                                                     ^^^^^^^^ example: This group is not labelled
`));

  it("names a variable that a version does not have", () =>
    check(`
over: version
label: { when: score < 0.5 && last("entropy") < 1.0 }
examples:
  - { version: { values: { score: 0.4 }, metrics: { entropy: [2, 0.5] } }, expect: labelled }
  - { version: { values: { scor: 0.4 } }, expect: clear }
                                                  ^^^^^ example: A version has no variable scor. Did you mean score
`));

  it("tries archived rollouts if the archive was asked and has them", () => {
    const spec = (condition: string) => `
label: { when: ${condition} }
examples:
  - { rollout: { reward: 1 }, expect: labelled }
  - { rollout: run-1/a, expect: labelled }
  - { rollout: run-1/b, expect: labelled }
  - { rollout: run-1/c, expect: clear }
  - { rollout: run-1/d, expect: labelled }
  - { rollout: run-1/gone, expect: labelled }
`;
    const marked = spec("reward > 0.5").replace(
      /(.*run-1\/[bcd], expect: )(.*)( }\n)/g,
      (line, before: string, expect: string) =>
        `${line}${" ".repeat(before.length)}${"^".repeat(expect.length)} example: The archived rollout run-1/\n`,
    );
    const question = {
      condition: "reward > 0.5",
      params: {},
      rollouts: ["run-1/a", "run-1/b", "run-1/c", "run-1/d", "run-1/gone"],
    };
    const verdicts = ["labelled", "clear", "labelled", "undecided", "not_archived"] as const;
    const known = new Map([[questionKey(question), { rollouts: 9, labelled: 2, verdicts }]]);
    const tried = (text: string) =>
      void checkMarked({ kind: "diagnostic", rules: [example], text: head + text, files: {}, tried: known });
    tried(marked);
    // What was asked about another condition says nothing about this one.
    tried(spec("reward > 0.6"));
    check(spec("reward > 0.5"));
  });

  it("leaves an invalid spec or a wrong expression to other rules", () => {
    check("label: { when: reward > }\nexamples:\n  - { rollout: {}, expect: labelled }\n");
    check("label: { when: reward > 0.5 }\nexamples:\n  - { rollout: { turn: 3 }, expect: labelled }\n");
  });
});
