import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { noFacts } from "../../../../test/support/language/noFacts.ts";
import { sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { evidenceField } from "./evidence-field.ts";

const head = "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: a\n";
const facts = {
  ...noFacts,
  fields: {
    logprob_mean: { present: 0 },
    tokens: { present: 0.2 },
    stop_reason: {
      present: 1,
      values: [
        { value: "max_tokens", share: 0.5 },
        { value: "success", share: 0.5 },
      ],
    },
  },
  components: {
    formatted: {
      of: 9,
      present: 1,
      awarded: 0.5,
      inFull: 0.5,
      spread: { count: 9, min: 0, median: 0, max: 1 },
    },
  },
};
const check = (text: string, known: typeof noFacts = facts) =>
  checkMarked({
    kind: "diagnostic",
    text: head + text,
    rules: [evidenceField],
    files: sampleProject,
    facts: known,
  });

describe("rule evidence-field", () => {
  it("accepts a field that occurs, however rarely", () => {
    check("label: { when: 'tokens > 5 && components.formatted > 0.0 && stop_reason == \"success\"' }\n");
  });

  it("marks a field that no rollout has, unless the label works without it", () => {
    check(`label: { when: 'reward > 0.5 && logprob_mean > -0.1' }
                                ^^^^^^^^^^^^ evidence-field: None of 1,000 archived rollouts has logprob_mean, so this is never true.
`);
    check("label: { when: 'reward > 0.5 || logprob_mean > -0.1' }\n");
  });

  it("offers the component or the word that was meant", () => {
    const { fixes, fixed } =
      check(`label: { when: 'components.formated > 0.5 && stop_reason in ["max_token", "success"]' }
                           ^^^^^^^^ evidence-field: No archived rollout has a component formated. Did you mean formatted?
                                                              ^^^^^^^^^ evidence-field: No archived rollout has max_token as its stop_reason. Did you mean max_tokens?
`);
    assert.deepEqual(fixes, ["Change to formatted", "Change to max_tokens"]);
    assert.match(fixed, /components.formatted > 0.5 && stop_reason in \["max_tokens", "success"\]/);
  });

  it("accepts a word that resembles none, and words from an open list", () => {
    check("label: { when: 'stop_reason == \"verifier_error\"' }\n");
    const values = Array.from({ length: 10 }, (_, i) => ({ value: `max_tokens_${i}`, share: 0.1 }));
    check("label: { when: 'stop_reason == \"max_tokens\"' }\n", {
      ...noFacts,
      fields: { stop_reason: { present: 1, values } },
    });
  });

  it("says nothing after only a few rollouts", () => {
    check("label: { when: logprob_mean > 0.1 }\n", { ...facts, rollouts: 20 });
  });
});
