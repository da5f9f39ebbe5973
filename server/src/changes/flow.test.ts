import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { flowKinds } from "../../../shared/model/flowKinds.ts";
import { classOf, itemClass, type FlowBy } from "./failureClass.ts";
import type { Fate } from "./fates.ts";
import { flowBetween, type FlowMatrix } from "./flow.ts";

const order = { labels: ["leak", "echo-trap", "abandon"], invalidating: new Set(["leak"]) };
const fate = (changes: Partial<Fate> = {}): Fate => ({
  item: "i1",
  seed: 1,
  sample: 0,
  outcome: "fail",
  stopReason: null,
  labels: [],
  undecided: [],
  ...changes,
});
const flow = (a: readonly Fate[], b: readonly Fate[], by: FlowBy = "outcome") =>
  flowBetween(a, b, { by, order });
/** The cells that are not 0, as "from>to: n". */
const cells = (m: FlowMatrix | null): string[] =>
  m === null
    ? []
    : m.counts.flatMap((row, i) =>
        row.flatMap((n, j) => (n === 0 ? [] : [`${m.classes[i] ?? ""}>${m.classes[j] ?? ""}: ${n}`])),
      );

describe("classes", () => {
  for (const [by, changes, expected] of [
    ["outcome", {}, "fail"],
    ["outcome", { outcome: "pass", labels: ["leak"] }, "pass"],
    ["stop", { stopReason: "max_turns" }, "fail: max_turns"],
    ["stop", {}, "fail: no stop reason"],
    ["stop", { outcome: "pass", stopReason: "success" }, "pass"],
    ["label", { labels: ["abandon", "echo-trap"] }, "fail: echo-trap"],
    ["label", {}, "fail: no label"],
    ["label", { outcome: "unknown", labels: ["abandon"] }, "unknown"],
    ["label", { outcome: "pass", labels: ["abandon"] }, "pass"],
    ["label", { outcome: "pass", labels: ["leak"] }, "invalid: leak"],
  ] as const)
    it(`${by} ${JSON.stringify(changes)}: ${expected}`, () =>
      assert.equal(classOf(fate(changes), by, order), expected));
  for (const [classes, expected] of [
    [[], "unknown"],
    [["unknown", "unknown"], "unknown"],
    [["pass", "unknown"], "pass"],
    [["pass", "fail: a"], "mixed"],
    [["fail: a", "fail: b", "fail: b", "unknown"], "fail: b"],
    [["fail: b", "fail: a"], "fail: a"],
  ] as const)
    it(`of an item with ${classes.join(", ") || "nothing"}: ${expected}`, () =>
      assert.equal(itemClass(classes), expected));
});

describe("flowBetween", () => {
  it("says where items and rollouts moved", () => {
    const a = [
      fate({ outcome: "pass" }),
      fate({ sample: 1, outcome: "pass" }),
      fate({ item: "i2", stopReason: "max_turns" }),
      fate({ item: "i3", outcome: "unknown" }),
      fate({ item: "gone", outcome: "pass" }),
    ];
    const b = [
      fate({ outcome: "pass" }),
      fate({ sample: 1, stopReason: "abandon" }),
      fate({ item: "i2", outcome: "pass" }),
      fate({ item: "i3" }),
    ];
    const byStop = flow(a, b, "stop");
    assert.deepEqual(cells(byStop.items), [
      "pass>mixed: 1",
      "fail: max_turns>pass: 1",
      "unknown>fail: no stop reason: 1",
    ]);
    assert.deepEqual(cells(byStop.rollouts), [
      "pass>pass: 1",
      "pass>fail: abandon: 1",
      "fail: max_turns>pass: 1",
      "unknown>fail: no stop reason: 1",
    ]);
    assert.deepEqual(
      [byStop.itemsOnlyIn, byStop.unpaired],
      [
        { a: 1, b: 0 },
        { a: 1, b: 0 },
      ],
    );
    assert.match(byStop.notes.join(), /interchangeable/);
  });

  it("pairs rollouts by sample when each version has one seed, and not when one has several", () => {
    const [one, other] = [fate({ seed: 1 }), fate({ seed: 2 })];
    assert.equal(flow([one], [other]).rollouts?.total, 1);
    assert.equal(flow([fate({ seed: null })], [other]).rollouts?.total, 1);
    const several = flow([one, fate({ seed: 3 })], [other]);
    assert.equal(several.rollouts, null);
    assert.match(several.notes.join(), /several seeds and share none/);
    assert.equal(several.items.total, 1);
  });

  it("pairs nothing when sample numbers repeat", () => {
    const twice = flow([fate(), fate()], [fate()]);
    assert.deepEqual([twice.rollouts, twice.unpaired], [null, { a: 2, b: 1 }]);
    assert.match(twice.notes.join(), /numbered differently, or more than once/);
  });

  it("gives an answer for versions with nothing in common, and for empty versions", () => {
    assert.match(flow([fate()], [fate({ item: "i2" })]).notes.join(), /no item in common/);
    for (const [a, b, says] of [
      [[], [], /either version/],
      [[fate()], [], /the second version/],
      [[], [fate()], /the first version/],
    ] as const) {
      const empty = flow(a, b);
      assert.equal(empty.items.total, 0);
      assert.match(empty.notes.join(), says);
    }
  });

  it("groups rare kinds of failure together", () => {
    const many = Array.from({ length: 30 }, (_, i) => fate({ item: `i${i}`, stopReason: `s${i}` }));
    const { items } = flow(
      [...many, fate({ item: "p", outcome: "pass" })],
      [...many, fate({ item: "p" })],
      "stop",
    );
    assert.ok(items.classes.length <= 14, items.classes.join());
    assert.equal(items.classes.at(-1), "fail: other");
    assert.equal(items.total, 31);
  });

  it("counts every pair once, whatever the rollouts are", () => {
    const someFate: fc.Arbitrary<Fate> = fc.record({
      item: fc.constantFrom("a", "b", "c"),
      seed: fc.constantFrom(null, 1, 2),
      sample: fc.nat(3),
      outcome: fc.constantFrom("pass" as const, "fail" as const, "unknown" as const),
      stopReason: fc.option(fc.string({ maxLength: 3 })),
      labels: fc.subarray(["leak", "echo-trap", "abandon"]),
      undecided: fc.constant([]),
    });
    const some = fc.array(someFate, { maxLength: 30 });
    fc.assert(
      fc.property(some, some, fc.constantFrom(...flowKinds), (a, b, by) => {
        const { items, rollouts, itemsOnlyIn, unpaired } = flow(a, b, by);
        const count = (fates: readonly Fate[]): number => new Set(fates.map((f) => f.item)).size;
        assert.equal(items.total + itemsOnlyIn.a, count(a));
        assert.equal(items.total + itemsOnlyIn.b, count(b));
        assert.equal((rollouts?.total ?? 0) + unpaired.a, a.length);
        assert.equal((rollouts?.total ?? 0) + unpaired.b, b.length);
        for (const m of [items, ...(rollouts === null ? [] : [rollouts])]) {
          assert.equal(
            m.counts.flat().reduce((s, n) => s + n, 0),
            m.total,
          );
          assert.equal(
            m.before.reduce((s, n) => s + n, 0),
            m.total,
          );
          assert.equal(
            m.after.reduce((s, n) => s + n, 0),
            m.total,
          );
          assert.equal(new Set(m.classes).size, m.classes.length);
        }
        const back = flow(b, a, by);
        assert.deepEqual(back.items.before, items.after);
      }),
      { numRuns: fuzzRuns() },
    );
  });
});
