import assert from "node:assert/strict";
import { clusteredShare, differenceInterval, newcombe, wilson } from "./proportions.ts";

const rounded = ({ low, high }: { low: number; high: number }): number[] => [
  Math.round(low * 1e4) / 1e4,
  Math.round(high * 1e4) / 1e4,
];

describe("proportions", () => {
  // Newcombe 1998, Statistics in Medicine 17, 857–872 (one share) and 873–890 (differences, method 10).
  for (const [passes, size, low, high] of [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ] as const)
    it(`have the published Wilson interval for ${passes} of ${size}`, () =>
      assert.deepEqual(rounded(wilson({ share: passes / size, size })), [low, high]));
  for (const [a, n, b, m, low, high] of [
    [48, 80, 56, 70, 0.0524, 0.3339],
    [3, 10, 9, 10, 0.1705, 0.809],
    [0, 20, 10, 10, 0.6791, 1],
  ] as const)
    it(`have the published interval for ${b}/${m} − ${a}/${n}`, () =>
      assert.deepEqual(
        rounded(newcombe({ share: a / n, size: n }, { share: b / m, size: m })).map((x) => Math.min(x, 1)),
        [low, high],
      ));
  it("give a difference its interval from those of any two independent estimates", () =>
    assert.deepEqual(
      rounded(
        differenceInterval({ value: 0.5, low: 0.46, high: 0.53 }, { value: 0.4, low: 0.36, high: 0.43 }),
      ),
      // -0.1 - hypot(0.04, 0.03), -0.1 + hypot(0.03, 0.04)
      [-0.15, -0.05],
    ));
  it("are unknown without a trial", () => {
    assert.deepEqual(wilson({ share: 0, size: 0 }), { low: 0, high: 1 });
    assert.equal(clusteredShare([]), null);
    assert.equal(clusteredShare([{ labelled: 0, decided: 0 }]), null);
  });
  it("count trials that agree within their cluster as one, and other trials separately", () => {
    const agreeing = Array.from({ length: 20 }, (_, i) => ({ labelled: i % 2 === 0 ? 8 : 0, decided: 8 }));
    assert.ok(Math.abs((clusteredShare(agreeing)?.size ?? 0) - 20) < 1.1);
    const even = Array.from({ length: 20 }, (_, i) => ({ labelled: i % 2 === 0 ? 4 : 5, decided: 8 }));
    assert.equal(clusteredShare(even)?.size, 160);
    assert.deepEqual(clusteredShare([{ labelled: 0, decided: 8 }]), { share: 0, size: 1 });
  });
});
