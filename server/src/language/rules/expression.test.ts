import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { expression } from "./expression.ts";

const check = (text: string, kind: "diagnostic" | "evidence" = "diagnostic"): void => {
  checkMarked({ kind, rules: [expression], text });
};

describe("rule expression", () => {
  it("accepts what the archive can run", () =>
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
  it("marks the place where an expression breaks off", () =>
    check(`
label:
  when: outcome ==
                 ^ expression
`));
  it("allows turn only in evidence", () =>
    check(`
label:
  when: turn.tool == "edit"
        ^^^^ expression: Unknown variable: turn
  evidence: turn.tool == "edit"
`));
  it("marks the whole of a folded expression", () =>
    check(`
label:
  when: "outcome == \\u0022pass\\u0022 && nothing > 1"
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expression: Unknown variable: nothing
`));
  it("leaves a value that is not text to the schema", () => check("label: { when: 3, evidence: [] }\n"));
});

describe("rule expression in a mapping", () => {
  const mapping = (text: string) => check(text, "evidence");
  it("accepts what can be run on a record", () =>
    mapping(`
fields:
  item: string(record.task_id)
  turns: { from: record.messages, text: text(message.content) }
  outcome: { unknown: record.?error, pass: record.score >= 1, fail: record.score < 1 }
  components: { format: 'record.text.matches("^<a>") ? 1.0 : 0.0' }
`));
  it("marks every problem of every expression in its place", () =>
    mapping(`
fields:
  item: rec.task
        ^^^ expression: Unknown variable: rec. Known here: record, file, line.
  turns: { from: message.parts, role: mesage.role }
                 ^^^^^^^ expression: Unknown variable: message
                                      ^^^^^^ expression: Unknown variable: mesage. Known here: record, file, line, message, index.
  outcome:
    pass: record.text.matches("(?=x)") || max(1, 2) > 1
                              ^^^^^^^ expression: Not a pattern of RE2
                                          ^^^^^^^^^ expression: write math.greatest(a, b)
    fail: record.score <
                       ^ expression: Something is missing at the end
  components:
    length: size(record.text, 1)
            ^^^^^^^^^^^^^^^^^^^^ expression: size takes 1 argument, not 2.
`));
  it("marks the right place in an expression of several lines", () =>
    mapping(`
fields:
  item: >-
    record.a +
    rec.b
    ^^^ expression: Unknown variable: rec
    + ( line > 1 ? string(line) : recrd.c )
                                  ^^^^^ expression: Unknown variable: recrd
`));
  it("leaves a value that is not a mapping of texts to the schema", () =>
    mapping(`
fields: { item: 5, turns: [1], outcome: "", extra: { a: null } }
`));
});
