import assert from "node:assert/strict";
import { seededRandom } from "../../base/random.ts";
import { caseEdits, type CaseEdit } from "../../memory/cases/case.ts";
import type { Scalar } from "../../../../shared/spec/common.ts";
import { likeness } from "./likeness.ts";

const edit = (path: string, from: Scalar, to: Scalar): CaseEdit[] =>
  caseEdits([{ file: "train.yaml", path, from, to }]);

describe("how alike two changes are", () => {
  it("is 1 for the same change and -1 for the one that takes it back", () => {
    for (const [from, to] of [
      [12, 20],
      [0, 0.3],
      [false, true],
      ["none", "std"],
      [-2, 3],
    ] as const) {
      assert.ok(Math.abs(likeness(edit("a", from, to), edit("a", from, to)) - 1) < 1e-12);
      assert.ok(Math.abs(likeness(edit("a", from, to), edit("a", to, from)) + 1) < 1e-12);
    }
  });

  it("is positive further the same way, and more for a value nearby", () => {
    const near = likeness(edit("a", 16, 24), edit("a", 16, 28));
    const far = likeness(edit("a", 16, 24), edit("a", 16, 64));
    const on = likeness(edit("a", 16, 24), edit("a", 24, 48));
    assert.ok(near > far && far > on && on > 0, `${near} ${far} ${on}`);
  });

  it("is at most small for the other direction, and negative for going back past where a change began", () => {
    assert.ok(likeness(edit("a", 16, 24), edit("a", 16, 8)) < 0.1);
    assert.ok(likeness(edit("a", 12, 20), edit("a", 20, 10)) < -0.5);
  });

  it("is 0 for other places and other lines, and 1 for the same lines", () => {
    assert.equal(likeness(edit("a", 1, 2), edit("b", 1, 2)), 0);
    const patch = (text: string): CaseEdit[] => [{ type: "patch", patch: text }];
    assert.equal(likeness(patch("+a"), patch("+a")), 1);
    assert.equal(likeness(patch("+a"), patch("+b")), 0);
    assert.equal(likeness(patch("+a"), edit("a", 1, 2)), 0);
    assert.equal(likeness([], edit("a", 1, 2)), 0);
  });

  it("of two edits is what they share, for what they do together", () => {
    const two = [...edit("a", 1, 2), ...edit("b", 1, 2)];
    assert.ok(Math.abs(likeness(two, edit("a", 1, 2)) - Math.SQRT1_2) < 1e-12);
  });

  it("never makes a variance below 0, whatever is changed together", () => {
    const random = seededRandom(7);
    const values = [0, 0.1, 0.5, 1, 2, 4, 16, 64, "x", "y", true, -3] as const;
    const pick = (): Scalar => values[Math.floor(random() * values.length)] ?? 0;
    const changes = Array.from({ length: 40 }, () =>
      Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
        edit(random() < 0.5 ? "a" : "b", pick(), pick()),
      ).flat(),
    );
    for (let round = 0; round < 300; round++) {
      const weights = changes.map(() => random() * 2 - 1);
      let variance = 0;
      changes.forEach((a, i) => {
        changes.forEach((b, j) => {
          variance += (weights[i] ?? 0) * (weights[j] ?? 0) * likeness(a, b);
        });
      });
      assert.ok(variance > -1e-9, String(variance));
    }
  });
});
