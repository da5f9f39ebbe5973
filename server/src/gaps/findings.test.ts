import assert from "node:assert/strict";
import { findGaps, unexplainedBySteps, type KnownLabel, type LabelledRollout } from "./findings.ts";
import { halvesOf } from "./halves.ts";
import { holdsUp, judge } from "./judged.ts";

const many = (count: number, outcome: string, label: string, step = 0): LabelledRollout[] =>
  Array.from({ length: count }, () => ({ outcome, step, labels: [label] }));
const loop: KnownLabel = { name: "loop", severity: "warning", alert: { above: 0.3 }, answered: true };
const kinds = (...of: Parameters<typeof findGaps>): string[] => findGaps(...of).map(({ kind }) => kind);

describe("gaps", () => {
  it("are failures that no label explains, with the difference to the other version", () => {
    const now = [...many(30, "fail", "0"), ...many(10, "fail", "1"), ...many(20, "pass", "0")];
    const [gap, ...more] = findGaps(now, [...many(20, "fail", "1"), ...many(20, "fail", "0")], [loop]);
    assert.deepEqual(more, []);
    assert.equal(
      gap?.message,
      "No label explains 30 of 40 failures: 75.0 % [59.8, 85.8]; +25.0 points [+3.8, +43.3] against the other version.",
    );
    assert.deepEqual(unexplainedBySteps([...many(2, "fail", "0", 8), ...many(1, "fail", "1", 0)]), [
      { at: "step 0", unexplained: 0, failures: 1 },
      { at: "step 8", unexplained: 2, failures: 2 },
    ]);
  });

  it("are alerts that no intervention answers", () => {
    const now = [...many(40, "fail", "1"), ...many(20, "pass", "0")];
    assert.deepEqual(kinds(now, [], [loop]), []);
    assert.deepEqual(kinds(now, [], [{ ...loop, answered: false }]), ["unanswered"]);
  });

  it("are labels that no longer tell failures from passes", () => {
    const before = [...many(40, "fail", "1"), ...many(40, "pass", "0")];
    assert.deepEqual(kinds([...many(40, "fail", "1"), ...many(40, "pass", "1")], before, [loop]), [
      "no-longer-separates",
    ]);
    assert.deepEqual(kinds(before, before, [loop]), []);
  });

  it("are labels that rose together with the passes", () => {
    const before = [...many(60, "fail", "0"), ...many(20, "pass", "0")];
    const now = [...many(20, "fail", "1"), ...many(60, "pass", "1")];
    assert.deepEqual(kinds(now, before, [{ ...loop, alert: undefined }]), ["disagrees"]);
    assert.deepEqual(kinds(now, before, [{ ...loop, alert: undefined, severity: "info" }]), []);
  });
});

describe("the halves", () => {
  const rollouts = Array.from({ length: 2000 }, (_, i) => ({ item: `item-${i % 500}`, group: `g${i % 7}` }));
  it("have no item in common, are about as large, and are the same for the same seed", () => {
    const halves = halvesOf(rollouts, 1);
    const seen = new Set(rollouts.filter((_, i) => halves[i]).map(({ item }) => item));
    assert.ok(rollouts.every(({ item }, i) => halves[i] === seen.has(item)));
    assert.ok(seen.size > 200 && seen.size < 300, String(seen.size));
    assert.deepEqual(halvesOf(rollouts, 1), halves);
    assert.notDeepEqual(halvesOf(rollouts, 2), halves);
  });

  it("divide the groups where there are few items", () => {
    const few = rollouts.map(({ group }) => ({ item: "only", group }));
    assert.equal(new Set(halvesOf(few, 1)).size, 2);
  });
});

describe("judging", () => {
  it("counts items, not rollouts, so that one item is no evidence", () => {
    const of = (items: number) =>
      Array.from({ length: 80 }, (_, i) => ({
        item: `i${i % items}`,
        side: i % items < items / 2 ? ("positive" as const) : ("negative" as const),
        held: i % items < items / 2,
      }));
    const [few, all] = [judge(of(2)), judge(of(40))];
    assert.equal(few.precision?.value, 1);
    assert.equal(all.precision?.value, 1);
    assert.equal(holdsUp(few), false);
    assert.equal(holdsUp(all), true);
    assert.deepEqual([all.support, all.base, all.recall?.value], [40, 0.5, 1]);
  });
});
