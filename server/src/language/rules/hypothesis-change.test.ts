import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { hypothesisChange } from "./hypothesis-change.ts";

const check = (line: string, edits: string) =>
  checkMarked({
    kind: "intervention",
    text: `apiVersion: evotrainer/v1
kind: Intervention
name: warmer
${line}
targets: [low-score]
factor: sampling
edit: [${edits}]
success: { atLeast: 0.02 }
`,
    rules: [hypothesisChange],
  });
const hypothesis = (change: string): string =>
  `hypothesis: { change: ${change}, metric: solve_rate, direction: increase, because: it should }`;
const edit = (path: string): string => `{ file: a.yaml, path: ${path}, from: 1, to: 2 }`;

describe("rule hypothesis-change", () => {
  it("accepts a value that an edit changes, what holds it, and what it holds", () => {
    check(hypothesis("sampling.temperature"), edit("sampling.temperature"));
    check(hypothesis("sampling"), `${edit("other")}, ${edit("sampling.temperature")}`);
    check(hypothesis("sampling.temperature.start"), edit("sampling.temperature"));
  });

  it("finds a value that no edit changes, and offers those that the edits change", () => {
    const { fixes, fixed } = check(
      `${hypothesis("sampling.top_p")}
                      ^^^^^^^^^^^^^^ hypothesis-change: The hypothesis says that sampling.top_p changes, but the edits change sampling.temperature and sampling.top_k. Name what the edits change.`,
      `${edit("sampling.temperature")}, ${edit("sampling.top_k")}`,
    );
    assert.deepEqual(fixes, ["Change to sampling.temperature", "Change to sampling.top_k"]);
    assert.match(fixed, /change: sampling\.temperature,/);
  });

  it("does not take a name that only begins alike for a part", () => {
    check(
      `${hypothesis("sampling.top")}
                      ^^^^^^^^^^^^ hypothesis-change: sampling.top changes, but the edits change sampling.top_p.`,
      edit("sampling.top_p"),
    );
  });
});
