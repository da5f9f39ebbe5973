import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { unusedLabel } from "./unused-label.ts";

const text = "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: lonely\n";
const rule = "label: { when: reward > 0 }\n";
const mark = "      ^^^^^^ unused-label: Nothing uses the label lonely\n";
const check = (more: string, files: Readonly<Record<string, string>> = {}) =>
  checkMarked({
    kind: "diagnostic",
    text: text + more,
    rules: [unusedLabel],
    files: { ...sampleProject, ...files },
  });

describe("rule unused-label", () => {
  it("marks a label that nothing uses, and adds an alert", () => {
    const { fixed } = check(mark + rule);
    assert.match(fixed, /\nalert: { above: 0.1, critical: 0.25 }\n$/);
    check(fixed.slice(text.length));
  });
  it("accepts a label with an alert, and one that makes a version invalid", () => {
    check(`${rule}alert: { above: 0.1 }\n`);
    check("label: { when: reward > 0, invalidates: true }\n");
  });
  it("finds specs that name the label", () => {
    const edit = "  - { file: harness/config.json, path: temperature, from: 1, to: 2 }";
    check(rule, { "a.intervention.yaml": interventionWith(edit).replace("[length-gaming]", "[lonely]") });
    check(rule, {
      "b.diagnostic.yaml": `apiVersion: evotrainer/v1\nkind: Diagnostic\nname: b\nover: version\nlabel: { when: 'rate("lonely") > 0.5' }\n`,
    });
    check(mark + rule, { "a.intervention.yaml": interventionWith(edit) });
  });
  it("says nothing about a diagnostic outside a project", () =>
    void checkMarked({ kind: "diagnostic", text: text + rule, rules: [unusedLabel] }));
});
