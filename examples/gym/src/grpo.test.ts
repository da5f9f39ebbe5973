import assert from "node:assert/strict";
import { StdGroupFilter } from "../../../shared/reward/groupFilter.ts";
import { normalQuantile } from "../../../shared/model/normalQuantile.ts";
import { Adam } from "./adam.ts";
import { groupAdvantages, lossSlopes } from "./grpo.ts";
import { sparseRows } from "./columns.ts";
import { at } from "./matrix.ts";

describe("group advantages", () => {
  it("are centred and scaled within the group", () => {
    assert.deepEqual(groupAdvantages([0, 0, 1, 1]), [-1, -1, 1, 1]);
  });

  it("do not change when the reward is scaled and shifted", () => {
    const plain = groupAdvantages([0, 0.3, 0.5, 1]);
    groupAdvantages([2, 2.9, 3.5, 5]).forEach((a, i) => assert.ok(Math.abs(a - (plain[i] ?? NaN)) < 1e-12));
  });

  it("are 0 in a dead group", () => assert.deepEqual(groupAdvantages([0.5, 0.5, 0.5]), [0, 0, 0]));
});

describe("the clipped policy loss", () => {
  const run = (oldLogp: number, advantage: number): { slope: number; clipped: number } => {
    const logits = [new Float32Array(8)];
    const reference = [new Float32Array(8).fill(-Math.log(6))];
    const slope = new Float32Array(8);
    const token = { head: 0, start: 0, count: 6, chosen: 1, logp: oldLogp, advantage };
    const settings = { clip: 0.2, kl: 0, entropy: 0, temperature: 1 };
    const batch = { states: sparseRows([[]]), choices: [], tokens: [token] };
    const parts = lossSlopes(logits, reference, batch, settings, [slope]);
    return { slope: at(slope, 1), clipped: parts.clipped };
  };
  const same = -Math.log(6);

  it("pushes a good choice up and a bad one down", () => {
    assert.ok(run(same, 1).slope < 0);
    assert.ok(run(same, -1).slope > 0);
  });
  it("stops pushing a good choice that has grown by more than the clip", () => {
    assert.deepEqual(run(same - 0.5, 1), { slope: 0, clipped: 1 });
  });
  it("still pushes a bad choice that has grown", () => {
    const { slope, clipped } = run(same - 0.5, -1);
    assert.ok(slope > 0 && clipped === 0);
  });
  it("stops pushing a bad choice that has shrunk by more than the clip", () => {
    assert.deepEqual(run(same + 0.5, -1), { slope: 0, clipped: 1 });
  });
});

describe("the group filter", () => {
  const std = { kind: "std", mode: "absolute", keep: 0.9, decay: 0.1, minKeep: 0 } as const;

  it("drops only dead groups when it is off or warming up", () => {
    const spreads = [0, 0.1, 0.5];
    assert.deepEqual(new StdGroupFilter({ ...std, kind: "none" }).keep(spreads), [false, true, true]);
    assert.deepEqual(new StdGroupFilter(std).keep(spreads), [false, true, true]);
  });

  it("drops spreads below the moving threshold after max(20, 1 / decay) groups", () => {
    const filter = new StdGroupFilter(std);
    filter.keep(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 0.4 : 0.6)));
    assert.deepEqual(filter.keep([0.05, 0.5, 0]), [false, true, false]);
  });

  it("drops groups with one outcome, and keeps those that an unknown outcome leaves open, by kind outcome", () => {
    const filter = new StdGroupFilter({ ...std, kind: "outcome", minKeep: 1 });
    assert.deepEqual(filter.keep([0.1, 0.1, 0.1, 0], [true, false, null, true]), [true, false, true, false]);
  });

  it("keeps the widest living groups up to minKeep", () => {
    const filter = new StdGroupFilter({ ...std, minKeep: 0.5 });
    filter.keep(Array.from({ length: 20 }, () => 0.5));
    assert.deepEqual(filter.keep([0.02, 0.03, 0, 0.01]), [true, true, false, false]);
  });

  it("knows the normal quantile", () => {
    const close = (p: number, z: number): void => assert.ok(Math.abs(normalQuantile(p) - z) < 1e-6, `${p}`);
    close(0.5, 0);
    close(0.9, 1.2815515655);
    close(0.01, -2.326347874);
    close(0.99, 2.326347874);
    assert.equal(normalQuantile(1), Infinity);
  });
});

describe("Adam", () => {
  it("finds the bottom of a bowl and reports the norm before clipping", () => {
    const x = new Float32Array([3, -2]);
    const gradient = new Float32Array(2);
    const adam = new Adam(2);
    let first = 0;
    for (let i = 0; i < 800; i++) {
      gradient.set([2 * (at(x, 0) - 1), 2 * (at(x, 1) - 0.5)]);
      const norm = adam.step(x, gradient, 0.02);
      if (i === 0) first = norm;
    }
    assert.ok(Math.abs(first - Math.hypot(4, 5)) < 1e-5);
    assert.ok(Math.abs(at(x, 0) - 1) < 0.02 && Math.abs(at(x, 1) - 0.5) < 0.02);
    assert.deepEqual(Array.from(gradient), [0, 0]);
  });
});
