import assert from "node:assert/strict";
import fc from "fast-check";
import { shiftsToShow } from "../../../shared/model/labelShifts.ts";
import { seededRandom } from "../base/random.ts";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import type { Fates, ItemLabels } from "./fates.ts";
import { isBad, labelShifts, shiftsBetween, shiftText, shiftVerdict, type LabelShift } from "./labelShift.ts";

const item = (name: string, labelled: number, decided = 8, rollouts = decided): ItemLabels => ({
  item: name,
  labelled,
  decided,
  rollouts,
});
const items = (n: number, labelled: (i: number) => number, prefix = "i"): ItemLabels[] =>
  Array.from({ length: n }, (_, i) => item(`${prefix}${i}`, labelled(i)));
const one = (a: readonly ItemLabels[] | null, b: readonly ItemLabels[] | null): LabelShift => {
  const [shift] = labelShifts([{ label: "x", a, b }]);
  assert.ok(shift);
  return shift;
};

describe("whether a label changed for the better or the worse", () => {
  const label = { severity: "warning", invalidates: false } as const;
  it("is known of a label that is said to be bad, that makes a version invalid, or of which an alert tells", () => {
    assert.equal(isBad({ label, alert: undefined }), true);
    assert.equal(isBad({ label: { ...label, severity: "info" }, alert: undefined }), false);
    assert.equal(isBad({ label: { ...label, severity: "info", invalidates: true }, alert: undefined }), true);
    assert.equal(
      isBad({ label: { ...label, severity: "info" }, alert: { metric: "rate", above: 0.3 } }),
      true,
    );
  });
  for (const [kind, ofBad, ofOthers] of [
    ["appeared", "regressed", undefined],
    ["rose", "regressed", undefined],
    ["vanished", "improved", undefined],
    ["fell", "improved", undefined],
    ["within_noise", "inside_noise", "inside_noise"],
    ["cannot_tell", "withheld", "withheld"],
    ["not_measured", undefined, undefined],
  ] as const)
    it(`is ${ofBad ?? "not said"} of a bad label that ${kind}, and ${ofOthers ?? "not said"} of another`, () =>
      assert.deepEqual([shiftVerdict({ kind }, true), shiftVerdict({ kind }, false)], [ofBad, ofOthers]));
});

describe("labelShifts", () => {
  const none = items(40, () => 0);
  const some = items(40, (i) => (i % 3 === 0 ? 4 : 0));
  for (const [what, a, b, kind, seen] of [
    ["appears", none, some, "appeared", "only_b"],
    ["vanishes", some, none, "vanished", "only_a"],
    ["becomes more frequent", some, items(40, (i) => (i % 3 === 0 ? 8 : 3)), "rose", "both"],
    ["becomes rarer", items(40, (i) => (i % 3 === 0 ? 8 : 3)), some, "fell", "both"],
    ["stays", some, some, "within_noise", "both"],
    ["is never seen", none, none, "within_noise", "neither"],
    ["is in one rollout only", none, items(40, (i) => (i === 7 ? 1 : 0)), "within_noise", "only_b"],
    ["was not looked for before", null, some, "not_measured", "only_b"],
    ["has no rollouts afterwards", some, [], "not_measured", "only_a"],
    [
      "is undecided everywhere",
      some,
      items(40, () => 0).map((i) => ({ ...i, decided: 0 })),
      "not_measured",
      "only_a",
    ],
  ] as const)
    it(`${kind}: a label that ${what}`, () => {
      const shift = one(a, b);
      assert.deepEqual([shift.kind, shift.seen], [kind, seen]);
      const told = kind !== "not_measured";
      assert.equal(shift.difference !== null, told);
      assert.equal(shift.method !== null, told);
      if (shift.low !== null && shift.high !== null && shift.difference !== null)
        assert.ok(shift.low <= shift.difference && shift.difference <= shift.high);
    });

  it("says nothing of a rare label because one version has fewer rollouts, and still sees one that is common", () => {
    const of = (decided: number, labelled: (i: number) => number): ItemLabels[] =>
      Array.from({ length: 120 }, (_, i) => item(`i${i}`, labelled(i), decided));
    const long = of(16, () => 0);
    const rare = of(8, (i) => (i < 2 ? 1 : 0));
    const elsewhere = rare.map((i) => ({ ...i, item: `other ${i.item}` }));
    for (const shift of [one(long, rare), one(rare, long), one(long, elsewhere), one(elsewhere, long)])
      assert.deepEqual([shift.kind, (shift.p ?? 0) > 0.2], ["within_noise", true], shift.method ?? "");
    const common = of(8, (i) => (i < 40 ? 4 : 0));
    assert.deepEqual([one(long, common).kind, one(common, long).kind], ["appeared", "vanished"]);
  });

  it("calls at most about one in twenty changes real if nothing changed, whatever the sizes", () => {
    const random = seededRandom(3);
    for (const [sizeA, sizeB, rate] of [
      [16, 8, 0.004],
      [8, 16, 0.004],
      [16, 4, 0.3],
      [8, 8, 0.05],
    ] as const) {
      const draw = (size: number): ItemLabels[] =>
        items(40, () => 0).map((i) => {
          const labelled = Array.from({ length: size }, () => random() < rate).filter(Boolean).length;
          return { ...i, labelled, decided: size, rollouts: size };
        });
      const trials = 120;
      const found = Array.from({ length: trials }, () => one(draw(sizeA), draw(sizeB))).filter(
        ({ p }) => p !== null && p < 0.05,
      ).length;
      // Two standard errors above one in twenty.
      assert.ok(found / trials <= 0.09, `${sizeA} against ${sizeB} at ${rate}: ${found} of ${trials}`);
    }
  });

  it("corrects for the labels that a version has, and not for those that nothing carries", () => {
    const drop = {
      label: "drop",
      a: items(342, (i) => (i < 21 ? 1 : 0)).map((i) => ({ ...i, decided: 1, rollouts: 1 })),
      b: items(342, (i) => (i === 0 ? 1 : 0)).map((i) => ({ ...i, decided: 1, rollouts: 1 })),
    };
    const absent = Array.from({ length: 2000 }, (_, i) => ({ label: `never-${i}`, a: none, b: none }));
    const [alone] = labelShifts([drop]);
    const [among, never] = labelShifts([drop, ...absent]);
    assert.deepEqual([among?.kind, among?.adjusted], ["fell", alone?.adjusted]);
    assert.deepEqual([never?.kind, never?.seen], ["within_noise", "neither"]);
  });
  it("does not correct for labels of which most rollouts are undecided: nothing is said of them", () => {
    const few = (labelled: number): ItemLabels[] =>
      items(342, (i) => (i < labelled ? 1 : 0)).map((i) => ({ ...i, decided: 1, rollouts: 1 }));
    const drop = { label: "drop", a: few(21), b: few(6) };
    const open = items(342, (i) => (i < 9 ? 1 : 0)).map((i) => ({ ...i, decided: 1, rollouts: 8 }));
    const untold = Array.from({ length: 50 }, (_, i) => ({ label: `open-${i}`, a: open, b: open }));
    const [alone] = labelShifts([drop]);
    const [among, other] = labelShifts([drop, ...untold]);
    assert.deepEqual([alone?.kind, among?.kind, among?.adjusted], ["fell", "fell", alone?.adjusted]);
    assert.equal(other?.kind, "cannot_tell");
  });
  const partly = (labelled: number, decided: number): ItemLabels[] =>
    items(40, () => labelled).map((i) => ({ ...i, decided, rollouts: 8 }));
  for (const [what, a, b, kind, says] of [
    [
      "most are undecided",
      partly(0, 3),
      partly(3, 3),
      "cannot_tell",
      "cannot tell: only 37.5 % before and 37.5 % after decided",
    ],
    [
      "most are undecided before",
      partly(0, 3),
      partly(8, 8),
      "cannot_tell",
      "cannot tell: only 37.5 % before decided",
    ],
    [
      "the undecided could turn it around",
      partly(1, 5),
      partly(3, 6),
      "cannot_tell",
      "cannot tell: the undecided rollouts could turn it around",
    ],
    ["the undecided cannot turn it around", partly(0, 7), partly(4, 7), "appeared", "appeared"],
    [
      "items are undecided altogether",
      [...partly(0, 8), item("more", 0, 0, 4000)],
      partly(4, 8),
      "cannot_tell",
      "cannot tell: only 7.4 % before decided",
    ],
  ] as const)
    it(`${kind}: ${what}`, () => {
      const shift = one(a, b);
      assert.deepEqual([shift.kind, shiftText(shift)], [kind, says]);
    });

  it("pairs the common items and names the method", () => {
    const shift = one(
      some,
      items(40, (i) => (i % 3 === 0 ? 5 : 0)),
    );
    assert.deepEqual([shift.method, shift.commonItems], ["paired bootstrap over items", 40]);
    assert.ok(Math.abs((shift.difference ?? 0) - 14 / 320) < 1e-12);
  });
  it("reports no interval of width 0", () => {
    const shift = one(none, none);
    assert.equal(shift.method, "Newcombe, items as clusters");
    assert.ok((shift.high ?? 0) > 0.05 && (shift.low ?? 0) < -0.05, "40 items without it do not exclude 5 %");
  });
  it("compares versions with no common item as independent samples, each item counting once", () => {
    const shift = one(
      items(40, () => 0, "a"),
      items(40, (i) => (i % 2 === 0 ? 8 : 0), "b"),
    );
    assert.deepEqual(
      [shift.method, shift.commonItems, shift.kind],
      ["Newcombe, items as clusters", 0, "appeared"],
    );
    const agreeing = one(
      items(6, (i) => (i < 2 ? 8 : 0), "a"),
      items(6, (i) => (i < 4 ? 8 : 0), "b"),
    );
    assert.equal(agreeing.kind, "within_noise", "12 clusters, not 96 rollouts");
  });
  it("does not let a handful of common items speak for all", () => {
    const b = [...items(3, () => 8), ...items(37, () => 0, "other")];
    assert.equal(one(none, b).method, "Newcombe, items as clusters");
  });
  it("gives an answer for one item and one rollout", () => {
    const shift = one([item("i", 0, 1)], [item("i", 1, 1)]);
    assert.equal(shift.kind, "within_noise");
    assert.ok((shift.low ?? 1) < 0);
  });
  it("gives an empty answer when asked about no label", () => assert.deepEqual(labelShifts([]), []));

  it("reports a change by chance in at most 5 of 100 comparisons of many labels", () => {
    const random = seededRandom(7);
    const draw = (rate: number): ItemLabels[] =>
      items(30, () => Array.from({ length: 4 }, () => random() < rate).filter(Boolean).length).map((i) => ({
        ...i,
        decided: 4,
        rollouts: 4,
      }));
    let wrong = 0;
    for (let round = 0; round < 40; round++) {
      const labels = [0.02, 0.1, 0.3, 0.5, 0.9].map((rate, i) => ({
        label: `l${i}`,
        a: draw(rate),
        b: draw(rate),
      }));
      if (labelShifts(labels, round).some((s) => s.kind !== "within_noise")) wrong++;
    }
    assert.ok(wrong <= 6, `${wrong} of 40`); // more than 6 of 40 at 5 %: 1 in 100 such tests
  });
  it("gives an answer for any counts, and the opposite answer when the versions are swapped", () => {
    const tally = fc
      .tuple(fc.constantFrom("a", "b", "c", "d"), fc.nat(3), fc.nat(3), fc.nat(2))
      .map(([name, labelled, clear, undecided]) =>
        item(name, labelled, labelled + clear, labelled + clear + undecided),
      );
    const some = fc.uniqueArray(tally, { selector: (i) => i.item });
    fc.assert(
      fc.property(some, some, (a, b) => {
        const [there, back] = [one(a, b), one(b, a)];
        const opposite = { rose: "fell", fell: "rose", appeared: "vanished", vanished: "appeared" } as const;
        const { kind } = there;
        assert.equal(back.kind, kind in opposite ? opposite[kind as keyof typeof opposite] : kind);
        if (there.difference === null || there.low === null || there.high === null || there.p === null) {
          assert.equal(kind, "not_measured");
          return;
        }
        assert.ok(there.low <= there.difference + 1e-12 && there.difference <= there.high + 1e-12);
        assert.ok(there.low < there.high && there.p > 0 && there.p <= 1);
        assert.ok(Math.abs(there.difference + (back.difference ?? NaN)) < 1e-12);
      }),
      { numRuns: fuzzRuns() },
    );
  });
});

describe("labels that are on the same rollouts of both versions", () => {
  const fates = (labels: (i: number) => readonly string[]): Fates => ({
    labels: ["abandon", "exit", "slow"],
    rollouts: Array.from({ length: 40 }, (_, i) => ({
      ...{ item: `i${i}`, seed: 1, sample: 0, outcome: "fail", stopReason: null },
      ...{ labels: labels(i), undecided: [] },
    })),
  });
  const before = fates((i) => [...(i < 20 ? ["abandon", "exit"] : []), ...(i === 30 ? ["slow"] : [])]);
  const after = fates((i) => (i < 2 ? ["abandon", "exit"] : []));

  it("are said once, and are one hypothesis of Holm's", () => {
    const [abandon, exit, slow] = shiftsBetween(before, after, ["exit"]);
    assert.deepEqual([abandon?.under, exit?.under, slow?.under], ["exit", undefined, undefined]);
    assert.equal(exit?.kind, "fell");
    assert.equal(exit.adjusted, 2 * (exit.p ?? 0), "with slow they are two, not three");
    assert.equal(abandon?.adjusted, exit.adjusted);
    const { shown, also } = shiftsToShow([abandon, exit]);
    assert.deepEqual(
      shown.map(({ label }) => [label, also(label)]),
      [["exit", ["abandon"]]],
    );
  });

  it("keep a row each where one version has them on other rollouts", () =>
    assert.deepEqual(
      shiftsBetween(
        before,
        fates((i) => (i === 3 ? ["exit"] : [])),
      ).map(({ under }) => under),
      [undefined, undefined, undefined],
    ));
});
