import assert from "node:assert/strict";
import { Random, seedOf } from "./random.ts";

describe("the random generator", () => {
  it("gives the same stream for the same seed and another stream for another seed", () => {
    const draw = (seed: number): number[] => {
      const random = new Random(seed);
      return Array.from({ length: 5 }, () => random.next());
    };
    assert.deepEqual(draw(7), draw(7));
    assert.notDeepEqual(draw(7), draw(8));
  });

  it("is close enough to uniform and to normal", () => {
    const random = new Random(1);
    const values = Array.from({ length: 20_000 }, () => random.next());
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    assert.ok(Math.abs(mean - 0.5) < 0.01);
    const normals = Array.from({ length: 20_000 }, () => random.normal());
    const variance = normals.reduce((a, b) => a + b * b, 0) / normals.length;
    assert.ok(Math.abs(variance - 1) < 0.05);
  });

  it("keeps every element when it shuffles", () => {
    assert.deepEqual(new Random(3).shuffle([1, 2, 3, 4]).sort(), [1, 2, 3, 4]);
  });

  it("treats different seed parts as different seeds", () => {
    const seeds = [seedOf("a", 1), seedOf("a", 2), seedOf("a1"), seedOf(1, "a"), seedOf("a", 1, "")];
    assert.equal(new Set(seeds).size, seeds.length);
  });
});
