import assert from "node:assert/strict";
import { makeRollout } from "../../../test/support/evidence/evidence.ts";
import type { Turn } from "../../../shared/model/rollout.ts";
import { compilePredicate } from "./compile.ts";
import { rolloutFacts } from "./facts.ts";

const called = 'turns.exists(t, t.tool == "bash")';
const prompt: readonly Turn[] = [{ role: "user", text: "Repair it." }];

describe("conditions on a rollout whose turns were not kept", () => {
  for (const [text, ofNothing, ofPrompt] of [
    [called, null, false],
    [`!${called}`, null, true],
    ["n_turns > 50", null, false],
    ["n_turns == 0", null, true],
    ["size(turns) < 3", null, true],
    ['turns.all(t, t.role == "user")', null, true],
    ['action_count("edit") == 0', null, true],
    ['edits_file("a")', null, false],
    ['tool_count("bash") + 1 > 0', null, true],
    // Without a turn it is known that there is none.
    ["n_messages == 0", true, false],
    // What else the condition says still decides.
    [`outcome == "fail" || ${called}`, true, true],
    [`outcome == "pass" && ${called}`, false, false],
    ["reward == 1.0", true, true],
  ] as const)
    it(`${text} is ${String(ofNothing)}, and ${String(ofPrompt)} where the prompt is there`, () => {
      const compiled = compilePredicate(text);
      assert.ok(compiled.ok);
      const { test } = compiled.predicate;
      const told = { outcome: "fail", reward: 1 } as const;
      assert.equal(test(rolloutFacts(makeRollout({ ...told, turns: [] }))), ofNothing);
      assert.equal(test(rolloutFacts(makeRollout({ ...told, turns: [...prompt] }))), ofPrompt);
    });
});
