import assert from "node:assert/strict";
import { readScores } from "./inspectScores.ts";

describe("scores of Inspect", () => {
  const verdicts: readonly [scores: object, outcome: string, reason?: RegExp][] = [
    [{ a: { value: "C" } }, "pass"],
    [{ a: { value: "I" } }, "fail"],
    [{ a: { value: true } }, "pass"],
    [{ a: { value: "P" } }, "none", /a is "P", neither/],
    [{ a: { value: "N" } }, "none", /a is "N", neither/],
    [{ a: { value: 1 } }, "none", /a is 1, neither/],
    [{ a: { value: [true, "C"] } }, "pass"],
    [{ a: { value: { x: true, y: false } } }, "none", /disagree \(a.x true, a.y false\)/],
    [{ a: { value: { x: "C", y: null } } }, "none", /a.y is null/],
    [{ a: { value: "C" }, b: { value: true } }, "pass"],
    [{ a: { value: "C" }, b: { value: "I" } }, "none", /disagree \(a C, b I\)/],
    [{ a: { value: "C" }, b: { value: 3.5 } }, "none", /b is 3.5/],
    [{ a: { value: "C" }, b: { value: null } }, "unknown", /scorer b left the sample unscored/],
    [{}, "none", /no score/],
  ];
  for (const [scores, outcome, reason] of verdicts)
    it(`read ${JSON.stringify(scores)} as ${outcome}`, () => {
      const { verdict } = readScores({ ...scores });
      assert.equal(verdict.outcome, outcome);
      if (reason !== undefined) assert.match("reason" in verdict ? verdict.reason : "", reason);
    });

  it("are all kept as components, and give a reward only when there is a single one", () => {
    const { components, reward } = readScores({
      a: { value: { x: "P", y: false, note: "long" } },
      b: { value: "N" },
      c: { value: "yes" },
      d: { value: [0.5, "I"] },
    });
    assert.deepEqual(components, { "a.x": 0.5, "a.y": 0, b: 0, c: 1, "d.0": 0.5, "d.1": 0 });
    assert.equal(reward, null);
    assert.equal(readScores({ a: { value: "P" } }).reward, 0.5);
    assert.equal(readScores({ a: { value: { x: 1 } } }).reward, null);
  });
});
