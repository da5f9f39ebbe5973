import assert from "node:assert/strict";
import { questionKey, questionOf } from "../archive/triedConditions.ts";
import { parseSpec } from "../syntax/parseSpec.ts";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { noFacts } from "../../../../test/support/language/noFacts.ts";
import { sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { deadLabel } from "./dead-label.ts";

const head = "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: a\n";
const check = (
  text: string,
  labelled: number,
  rollouts = 1000,
  verdicts: readonly ["labelled"] | [] = [],
) => {
  const spec = parseSpec("diagnostic", `${head}${text.replace(/^ *\^.*\n/gm, "")}`);
  const question = questionOf(spec);
  assert.ok(question);
  void checkMarked({
    kind: "diagnostic",
    text: head + text,
    rules: [deadLabel],
    files: sampleProject,
    facts: noFacts,
    tried: new Map([[questionKey(question), { rollouts, labelled, verdicts }]]),
  });
};
const rule = "label: { when: reward > 2 }\n";

describe("rule dead-label", () => {
  it("marks a label that all rollouts have, or none", () => {
    check(
      `${rule}               ^^^^^^^^^^ dead-label: All of 1,000 archived rollouts have this label\n`,
      1000,
    );
    check(`${rule}               ^^^^^^^^^^ dead-label: None of 1,000 archived rollouts has this label\n`, 0);
  });
  it("says how many rollouts were looked at", () =>
    check(
      `${rule}               ^^^^^^^^^^ dead-label: All of the newest 500 archived rollouts\n`,
      500,
      500,
    ));
  it("accepts a label that only some rollouts have, or that few rollouts were tried on", () => {
    check(rule, 1);
    check(rule, 999);
    check(rule, 0, 40);
  });
  it("accepts a label with an example that holds", () => {
    check(`${rule}examples: [{ rollout: { reward: 3 }, expect: labelled }]\n`, 0);
    check(
      `${rule}               ^^^^^^^^^^ dead-label\nexamples: [{ rollout: { reward: 1 }, expect: labelled }]\n`,
      0,
    );
    const named = `${rule}examples: [{ rollout: run-1/a, expect: labelled }]\n`;
    check(named, 0, 1000, ["labelled"]);
    check(named.replace("\n", "\n               ^^^^^^^^^^ dead-label\n"), 0);
  });
  it("says nothing about a text that was not tried yet", () =>
    void checkMarked({
      kind: "diagnostic",
      text: head + rule,
      rules: [deadLabel],
      files: {},
      facts: noFacts,
    }));
  it("accepts a label that invalidates versions and caught nothing", () =>
    check("label: { when: reward > 2, invalidates: true }\n", 0));
});
