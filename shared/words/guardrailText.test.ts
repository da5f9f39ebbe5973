import assert from "node:assert/strict";
import { saidReason } from "./guardrailText.ts";

const labels = [{ name: "echo-trap" }, { name: "dead-group", over: "group" as const }];
const check = (reason: string, expected: string) =>
  it(expected, () => assert.equal(saidReason(reason, labels), expected));

describe("the reason of a decision by a guardrail, as an older ledger holds it", () => {
  check(
    "Guardrail: echo-trap is 1, above 0.25.",
    "Guardrail: echo-trap shows in 100 % of the rollouts, above its limit of 25 %.",
  );
  check(
    "Guardrail: tokens_mean is 2400.5, above 2000; dead-group is 0.667, above 0.5; kl is not measured, and must stay at or below 3.",
    "Guardrail: tokens_mean is 2401, above its limit of 2000; dead-group shows in 66.7 % of the groups, above its limit of 50 %; kl is not measured, and must stay at or below 3.",
  );
  check(
    "Guardrail: echo-trap shows in 100 % of the rollouts, above its limit of 25 %.",
    "Guardrail: echo-trap shows in 100 % of the rollouts, above its limit of 25 %.",
  );
  check("Worse: echo-trap is 1, above 0.25.", "Worse: echo-trap is 1, above 0.25.");
});
