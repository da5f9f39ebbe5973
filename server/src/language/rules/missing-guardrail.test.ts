import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { missingGuardrail } from "./missing-guardrail.ts";

const bare = interventionWith("  - { file: harness/config.json, path: temperature, from: 1, to: 2 }").replace(
  "predicts: { risks: [length-gaming] }\n",
  "",
);
const check = (text: string) =>
  checkMarked({
    kind: "intervention",
    text,
    rules: [missingGuardrail],
    files: {
      ...sampleProject,
      "a.diagnostic.yaml":
        "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: leak\nlabel: { when: reward > 0, invalidates: true }\n",
    },
  });

describe("rule missing-guardrail", () => {
  it("adds a guardrail, preferably for a label that makes a version invalid", () => {
    const { fixes, fixed } = check(
      `${bare}^^^^^^^ missing-guardrail: Nothing here says what must not get worse\n`,
    );
    assert.deepEqual(fixes, ["Guard leak", "Guard length_reward_correlation", "Guard dead_group_ratio"]);
    assert.match(fixed, /success: { atLeast: 0.02 }\nguardrails: \[{ metric: leak, atMost: 0 }\]\n/);
    check(fixed);
  });

  it("fills an empty list", () => {
    const { fixed } = check(`${bare}^^^^^^^ missing-guardrail\nguardrails: []\n`);
    assert.match(fixed, /guardrails: \[{ metric: leak, atMost: 0 }\]\n/);
  });

  it("accepts a risk or a guardrail", () => {
    check(`${bare}predicts: { risks: [length-gaming] }\n`);
    check(`${bare}guardrails: [{ metric: leak, atMost: 0 }]\n`);
  });
});
