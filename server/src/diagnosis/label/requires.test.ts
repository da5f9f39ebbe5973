import assert from "node:assert/strict";
import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import { compilePredicate } from "../../predicate/compile.ts";
import { rolloutFacts } from "../../predicate/facts.ts";
import { shippedDiagnostics } from "../../project/library.ts";
import { exampleRollouts } from "../examples.ts";
import { requiredFields } from "./requires.ts";

/** A rollout as it is where its source has no such field. */
function lacking(rollout: Rollout, field: string): Rollout {
  if (field === "outcome") return { ...rollout, outcome: "unknown" };
  if (field === "turns") return { ...rollout, turns: [] };
  if (field === "components") return { ...rollout, components: {} };
  const ofTurns = field.replace("turns.", "");
  return field === ofTurns
    ? { ...rollout, [field]: null }
    : { ...rollout, turns: rollout.turns.map((turn) => ({ ...turn, [ofTurns]: undefined })) };
}

const needs = (when: string, evidence?: string): string[] =>
  requiredFields(
    DiagnosticSpec.parse({
      apiVersion: "evotrainer/v1",
      kind: "Diagnostic",
      name: "test",
      label: { when, ...(evidence === undefined ? {} : { evidence }) },
    }),
  );

describe("requiredFields", () => {
  it("of a program are those that it lists", () => {
    const label = { analyzer: { command: ["a"], reads: ["turns", "outcome"] } };
    const spec = { apiVersion: "evotrainer/v1", kind: "Diagnostic", name: "test", label };
    assert.deepEqual(requiredFields(DiagnosticSpec.parse(spec)), ["outcome", "turns"]);
  });

  for (const [when, expected] of [
    ["true", []],
    ['split == "train" && step > 3 && item == "a" && group == "b" && sample == 0', []],
    ['outcome == "pass"', ["outcome"]],
    ["reward > 0.5 && tokens < 10", ["reward", "tokens"]],
    ['"tests" in components && components.tests == 1.0', ["components"]],
    ['unknown_reason.contains("timeout")', []],
    ["n_turns > 3", ["turns"]],
    ['longest_tool_streak >= 8 && streak_tool == "grep"', ["turns.tool"]],
    ['tool_count("submit") == 0', ["turns"]],
    ['first_turn("edit") < first_turn("open")', ["turns.tool"]],
    ['turns.exists(t, t.text.contains("x"))', ["turns"]],
    ['turns.exists(t, t.role == "tool" && t.index > 1)', ["turns"]],
    ['turns.exists(t, t.tool == "history" && t.ok)', ["turns", "turns.ok", "turns.tool"]],
    // Either side is enough, and without a number of tokens every turn is fine.
    ["turns.all(t, t.tokens < 100) || turns.exists(u, u.ms > 5.0)", ["turns"]],
    ["reward > 0.5 || components.tests > 0.5 && reward < 0.1", ["reward"]],
    ["reward == null || tokens > 5", []],
    ["!(reward > 0.5 && tokens > 5)", []],
    // Turns that are counted need what one of them would need; where none is enough, anything may be missing.
    ["turns.filter(t, t.ok == null || t.tokens > 3).size() >= 2", ["turns"]],
    ["turns.filter(t, t.tokens > 3).size() > 0", ["turns", "turns.tokens"]],
    ["turns.filter(t, t.ok == null || t.tokens > 3).size() >= 0", ["turns"]],
    // A count is 0 where what it counts needs is missing.
    ["turns.filter(t, t.tokens > 3).size() >= 0", ["turns"]],
    ["turns.filter(t, t.tokens > 3).size() < 2", ["turns"]],
    ["turns.filter(t, t.tokens > 3).size() == n_turns", ["turns"]],
    ['turns.filter(t, t.tool == null && t.text == "").size() == n_turns', ["turns"]],
    ['tool_count("submit") == 1', ["turns.tool"]],
    ['action_count("edit") == 0', ["turns"]],
    ['first_action("edit") < 0 && n_tool_calls < 3', ["turns"]],
    ['!edits_file("test")', ["turns"]],
    ['edits_file("test")', ["turns.args", "turns.tool"]],
    ["n_messages == 0", []],
    ["n_messages > 3", ["turns"]],
    ['turns.exists(t, t.answers.file == "a.py")', ["turns", "turns.args", "turns.tool"]],
    ['!turns.exists(t, t.tool == "edit")', ["turns"]],
    ["turns.filter(t, t.ok).size() > 1", ["turns", "turns.ok"]],
    ['turns.exists(t, t.tool == "edit" && "path" in t.args)', ["turns", "turns.args", "turns.tool"]],
    // The variable of a macro hides a field of the same name only inside it.
    ["turns.exists(tokens, tokens.ok) && tokens > 5", ["tokens", "turns", "turns.ok"]],
    ["reward > 0.0 ? tokens > 5 : seed == 1", ["reward"]],
  ] satisfies readonly (readonly [string, readonly string[]])[])
    it(`of ${when}: ${expected.join(", ") || "none"}`, () =>
      assert.deepEqual(needs(when), [...expected].sort()));

  const overRollouts = shippedDiagnostics().filter(
    ({ spec: { over, label } }) => over === "rollout" && label.when !== undefined,
  );
  for (const { spec } of overRollouts)
    it(`of ${spec.name} are none that a rollout can lack and bear the label`, () => {
      const when = compilePredicate(spec.label.when ?? "", "rollout", spec.params);
      assert.ok(when.ok);
      for (const rollout of spec.examples.flatMap(exampleRollouts))
        for (const field of requiredFields(spec))
          assert.notEqual(when.predicate.test(rolloutFacts(lacking(rollout, field))), true, field);
    });

  it("leave out those of the turns that show the label: it holds without them", () =>
    assert.deepEqual(needs('outcome == "fail"', 'turn.tool == "edit" && !turn.ok'), ["outcome"]));

  it("are none for a condition that does not compile", () => assert.deepEqual(needs("outcome =="), []));
});
