import assert from "node:assert/strict";
import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { parseYaml } from "../../base/yaml.ts";
import { addExample } from "./addExample.ts";

const head = `apiVersion: evotrainer/v1
kind: Diagnostic
name: long
label: { when: "n_turns > 3" } # long
`;
const example = { rollout: "run-7/0412", expect: "labelled" } as const;
const added = (text: string, given: Parameters<typeof addExample>[1] = example): string => {
  const edit = addExample(text, given);
  return edit ? text.slice(0, edit.span.start) + edit.text + text.slice(edit.span.end) : text;
};

describe("an example added to a diagnostic", () => {
  const line = "- { rollout: run-7/0412, expect: labelled }";
  const cases: readonly (readonly [string, string, string])[] = [
    ["no examples", head, `${head}examples:\n  ${line}\n`],
    ["no line break at the end of the file", head.trimEnd(), `${head}examples:\n  ${line}\n`],
    ["an empty list", `${head}examples: []\n`, `${head}examples: [${line.slice(2)}]\n`],
    [
      "a key without a value",
      `${head}examples: # none\nlayer: behaviour\n`,
      `${head}examples: # none\n  ${line}\nlayer: behaviour\n`,
    ],
    [
      "a list on one line",
      `${head}examples: [{ rollout: a/1, expect: labelled }]\n`,
      `${head}examples: [{ rollout: a/1, expect: labelled }, ${line.slice(2)}]\n`,
    ],
    [
      "a list in the middle",
      `${head}examples:\n- rollout: a/1 # first\n  expect: labelled # yes\n\nlayer: behaviour\n`,
      `${head}examples:\n- rollout: a/1 # first\n  expect: labelled # yes\n${line}\n\nlayer: behaviour\n`,
    ],
    [
      "a list of inline rollouts",
      `${head}examples:\n    - rollout: { turns: [{ role: user, text: x }] }\n      expect: clear\n`,
      `${head}examples:\n    - rollout: { turns: [{ role: user, text: x }] }\n      expect: clear\n    ${line}\n`,
    ],
    [
      "the same rollout with the opposite label",
      `${head}examples:\n  - { rollout: run-7/0412, expect: clear } # why\n`,
      `${head}examples:\n  ${line} # why\n`,
    ],
    ["the same example already", `${head}examples:\n  ${line}\n`, `${head}examples:\n  ${line}\n`],
    [
      "a file with Windows line ends",
      `${head}examples:\r\n  - { rollout: a/1, expect: labelled }\r\n`,
      `${head}examples:\r\n  - { rollout: a/1, expect: labelled }\n  ${line}\r\n`,
    ],
  ];
  for (const [name, before, after] of cases)
    it(`is added where there is ${name}`, () => {
      assert.equal(added(before), after);
      const { examples } = DiagnosticSpec.parse(parseYaml(added(before)).toJS());
      assert.ok(examples.some((one) => one.rollout === example.rollout && one.expect === example.expect));
    });

  it("is quoted if its name needs it", () => {
    for (const rollout of ["1/2", "a b/c: d", 'x/"y"', "v1.s1/#3"]) {
      const { examples } = DiagnosticSpec.parse(parseYaml(added(head, { ...example, rollout })).toJS());
      assert.equal(examples[0]?.rollout, rollout);
    }
  });

  it("is refused if the spec has mistakes", () => {
    for (const text of ["a: [", "- a\n", `${head}examples: yes\n`, "{ kind: Diagnostic }"])
      assert.throws(() => addExample(text, example), { reason: "specInvalid" }, text);
  });
});
