import { checkMarked } from "../testing/markedText.ts";
import { expression } from "./expression.ts";

const check = (text: string): void => {
  checkMarked({ kind: "diagnostic", rules: [expression], text });
};

describe("expression", () => {
  it("passes what the archive can run", () =>
    check(`
label:
  when: longest_tool_streak >= 8 && outcome != "pass"
  evidence: turn.tool == streak_tool
`));
  it("marks an unknown variable inside a quoted expression", () =>
    check(`
label:
  when: 'reward > 0.5 && longest_streak >= 8'
                         ^^^^^^^^^^^^^^ expression: Unknown variable: longest_streak
`));
  it("marks where an expression breaks off", () =>
    check(`
label:
  when: outcome ==
                 ^ expression
`));
  it("knows that turn is for evidence only", () =>
    check(`
label:
  when: turn.tool == "edit"
        ^^^^ expression: Unknown variable: turn
  evidence: turn.tool == "edit"
`));
  it("marks a folded expression whole", () =>
    check(`
label:
  when: "outcome == \\u0022pass\\u0022 && nothing > 1"
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expression: Unknown variable: nothing
`));
  it("leaves what is no text to the schema", () => check("label: { when: 3, evidence: [] }\n"));
});
