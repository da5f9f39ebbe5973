import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { noFacts } from "../../../../test/support/language/noFacts.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { guardrailMetric } from "./guardrail-metric.ts";

const edit = "  - { file: harness/config.json, path: temperature, from: 1, to: 2 }";
const leak = "name: history-leak\nlabel: { when: reward > 0 }\napiVersion: evotrainer/v1\nkind: Diagnostic\n";
const check = (guardrail: string, facts?: typeof noFacts) =>
  checkMarked({
    kind: "intervention",
    text: `${interventionWith(edit)}guardrails:\n${guardrail}\n`,
    rules: [guardrailMetric],
    files: { ...sampleProject, "a.diagnostic.yaml": leak },
    ...(facts && { facts }),
  });

describe("rule guardrail-metric", () => {
  it("accepts a metric that is measured", () =>
    check("  - { metric: history-leak, atMost: 0 }\n  - { metric: turns_mean, atMost: 20 }"));

  it("says that the rate of a label goes by the label's name", () => {
    const { fixed } = check(`  - { metric: leak_rate, atMost: 0 }
              ^^^^^^^^^ guardrail-metric: Nothing measures leak_rate, so this guardrail would reject every version. Did you mean history-leak?`);
    assert.match(fixed, /metric: history-leak,/);
  });

  it("says that a limit on the rate of a label allows everything", () => {
    check(`  - { metric: history-leak, atMost: 20 }
                                    ^^ guardrail-metric: The rate of history-leak is never above 1, so this guardrail allows everything`);
    check("  - { metric: history-leak, atMost: 0.99 }");
  });

  it("says that a rule over versions has no rate", () =>
    check(
      `  - { metric: reward-hacking, atMost: 0 }
              ^^^^^^^^^^^^^^ guardrail-metric: Nothing measures reward-hacking`,
      noFacts,
    ));

  it("says what the evidence lacks", () => {
    const fields = { logprob_mean: { present: 0 }, outcome: { present: 1 } };
    check(
      `  - { metric: logprob_mean, atMost: 0 }
              ^^^^^^^^^^^^ guardrail-metric: logprob_mean is computed from logprob_mean, which no archived rollout has
  - { metric: score, atMost: 1 }`,
      { ...noFacts, fields },
    );
    check("  - { metric: logprob_mean, atMost: 0 }", {
      ...noFacts,
      fields: { logprob_mean: { present: 0.1 } },
    });
  });
});
