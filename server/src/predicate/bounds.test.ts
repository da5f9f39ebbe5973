import assert from "node:assert/strict";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { HarnessError } from "../base/errors.ts";
import { failedExamples } from "../diagnosis/examples.ts";
import { patience } from "../../../test/support/base/patience.ts";
import { makeRollout } from "../../../test/support/evidence/evidence.ts";
import { compilePredicate } from "./compile.ts";
import { rolloutFacts } from "./facts.ts";

const turnsOf = (count: number, text: string) =>
  Array.from({ length: count }, (_, i) => ({
    role: "assistant",
    text: `${text} ${i}`,
    tool: "bash",
    ok: true,
  }));

describe("a condition that is tried in this process", function () {
  this.timeout(30_000 * patience);
  const test = (condition: string, turns: ReturnType<typeof turnsOf>): boolean | null => {
    const compiled = compilePredicate(condition);
    assert.ok(compiled.ok);
    return compiled.predicate.test(rolloutFacts(makeRollout({ turns })));
  };

  for (const [what, condition, turns] of [
    [
      "nested quantifiers over 100,000 turns",
      'turns.exists(t, turns.exists(u, u.text == t.text + "x"))',
      turnsOf(100_000, "a"),
    ],
    [
      "three of them",
      "turns.all(t, turns.exists(u, turns.exists(v, v.index + u.index < t.index - 1)))",
      turnsOf(100_000, "a"),
    ],
    [
      "long texts",
      'turns.exists(t, turns.exists(u, u.text.contains(t.text + "x")))',
      turnsOf(2000, "ab".repeat(10_000)),
    ],
    [
      "patterns",
      'turns.exists(t, turns.exists(u, u.text.matches("(a+)+c")))',
      turnsOf(1000, "a".repeat(5000)),
    ],
  ] as const)
    it(`stops after as many steps as take about a second: ${what}`, () => {
      const before = process.cpuUsage();
      assert.throws(
        () => test(condition, turns),
        (e) => HarnessError.is(e, "badInput") && /stopped after 1,000,000 steps/.test(e.message),
      );
      const { user, system } = process.cpuUsage(before);
      assert.ok((user + system) / 1000 < 2000 * patience, `${(user + system) / 1000} ms`);
    });

  it("goes over each of 100,000 turns several times without being stopped, and names are free again behind a quantifier", () => {
    const turns = turnsOf(100_000, "a");
    assert.equal(
      test('turns.all(t, t.tool == "bash") && turns.all(t, t.ok) && !turns.exists(t, t.text == "")', turns),
      true,
    );
    assert.equal(
      test("turns.exists(t, turns.exists(u, u.index == 1 && t.index == 0) && t.index == 0)", turnsOf(3, "a")),
      true,
    );
  });

  it("is named by an example of a spec that it was tried on", () => {
    const spec = DiagnosticSpec.parse({
      apiVersion: "evotrainer/v1",
      kind: "Diagnostic",
      name: "slow",
      label: { when: 'turns.exists(t, turns.exists(u, u.text == t.text + "x"))' },
      examples: [{ rollout: { turns: turnsOf(2000, "a") }, expect: "labelled" }],
    });
    assert.match(failedExamples(spec)[0]?.message ?? "", /stopped after 1,000,000 steps/);
  });
});
