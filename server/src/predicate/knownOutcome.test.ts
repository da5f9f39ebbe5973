import assert from "node:assert/strict";
import { makeRollout } from "../../../test/support/evidence/evidence.ts";
import { compilePredicate } from "./compile.ts";
import { rolloutFacts } from "./facts.ts";

const failed = 'outcome == "fail" || reward == 0.0';

describe("conditions on how a rollout ended", () => {
  for (const [text, outcome, reward, expected] of [
    [failed, "pass", null, false],
    [failed, "pass", 0, false],
    [failed, "pass", 1, false],
    [failed, "fail", null, true],
    [failed, "fail", 1, true],
    [failed, "unknown", null, null],
    [failed, "unknown", 0, true],
    [failed, "unknown", 1, false],
    [`(${failed}) && n_turns > 0`, "pass", null, false],
    [`reward <= 0.0 || outcome == "unknown" || outcome == "fail"`, "pass", null, false],
    [`!(${failed})`, "pass", null, true],
    [`outcome == "pass" || reward > 0.5`, "fail", null, false],
    [`outcome == "pass" || reward > 0.5`, "unknown", 1, true],
    // The reward alone, or beside something else, is what it says.
    ["reward == 0.0", "pass", null, null],
    ["reward == 0.0", "pass", 0, true],
    [`outcome == "fail" || components.tests < 2.0`, "pass", 0, true],
    [`outcome == "fail" || reward == 0.0 || n_turns > 0`, "pass", 0, true],
  ] as const)
    it(`${text} is ${String(expected)} of a ${outcome} with reward ${String(reward)}`, () => {
      const compiled = compilePredicate(text);
      assert.ok(compiled.ok);
      const facts = rolloutFacts(makeRollout({ outcome, reward }));
      assert.equal(compiled.predicate.test(facts), expected);
    });
});
