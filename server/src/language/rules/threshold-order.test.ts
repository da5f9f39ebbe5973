import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { thresholdOrder } from "./threshold-order.ts";

const head = "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: a\nlabel: { when: reward > 0 }\n";
const check = (text: string) =>
  checkMarked({ kind: "diagnostic", text: head + text, rules: [thresholdOrder] });
const project = (library: string) =>
  checkMarked({
    kind: "project",
    text: `${sampleProject["evotrainer.yaml"] ?? ""}${library}`,
    rules: [thresholdOrder],
    files: sampleProject,
  });

describe("rule threshold-order", () => {
  it("accepts thresholds that rise, or a single one", () => {
    check("alert: { above: 0.1, critical: 0.25 }\n");
    check("alert: { above: 0.1, critical: 0.1 }\n");
    check("alert: { above: 0 }\n");
  });

  it("offers to swap them", () => {
    const { fixes, fixed } = check(`alert: { above: 0.3, critical: 0.15 }
                               ^^^^ threshold-order: This alert is critical above 0.15, which is below 0.3, where it is first raised.
`);
    assert.deepEqual(fixes, ["Swap the thresholds"]);
    assert.match(fixed, /alert: { above: 0.15, critical: 0.3 }/);
  });

  it("reports a rate above 1", () => {
    check(`alert: { above: 1, critical: 1 }
                ^ threshold-order: A rate is never above 1
`);
  });

  it("checks the values that a domain replaces", () => {
    check(`alert: { above: 0.1, critical: 0.25 }
domainParams: { math: { above: 0.4 }, coding: { above: 0.2 } }
                               ^^^ threshold-order: critical above 0.25, which is below 0.4
`);
  });

  it("checks the values that a project replaces in the library", () => {
    project(`library:
  params: { stop-truncation: { critical: 0.1 } }
                                         ^^^ threshold-order: which is below 0.15
  domains: { swe: { stop-truncation: { above: 0.2, critical: 0.3 }, dead-group: { above: 0.9, critical: 0.5 } } }
                                                                                                        ^^^ threshold-order
`);
  });
});
