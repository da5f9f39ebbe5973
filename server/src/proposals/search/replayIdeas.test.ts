import assert from "node:assert/strict";
import { columnsOf } from "../../../../test/support/backtest/columns.ts";
import { RewardSpec } from "../../../../shared/spec/reward.ts";
import { seededRandom } from "../../base/random.ts";
import { allSignals, parentReplay, replayIdea } from "./replayIdeas.ts";

const reward = (components: Record<string, number>): RewardSpec =>
  RewardSpec.parse({
    ...{ apiVersion: "evotrainer/v1", kind: "Reward", name: "main" },
    components: Object.fromEntries(Object.entries(components).map(([name, weight]) => [name, { weight }])),
  });

describe("an idea replayed on the archive", () => {
  const random = seededRandom(5);
  // A third of the rollouts has no signal c.
  const groups = Array.from({ length: 60 }, () => ({
    rollouts: Array.from({ length: 6 }, () => ({
      outcome: random() < 0.5 ? ("pass" as const) : ("fail" as const),
      signals: {
        ...{ a: Math.round(random() * 4) / 4, b: Math.round(random() * 4) / 4 },
        ...(random() < 1 / 3 ? {} : { c: random() }),
      },
    })),
  }));
  const before = reward({ a: 1 });
  const ideas = [reward({ a: 1, b: 1 }), reward({ b: 1 }), reward({ a: 1, c: 0.5 }), reward({ c: 1 })];
  const columns = columnsOf(groups, allSignals([before, ...ideas]));
  const mask = Uint8Array.from({ length: columns.rollouts }, () => (random() < 0.4 ? 1 : 0));
  const parent = parentReplay({ columns, labelled: new Map([["loops", mask]]) }, before);

  /** The same, rollout by rollout. */
  function byHand(after: RewardSpec) {
    const rollouts = groups.flatMap(({ rollouts: all }, g) =>
      all.map((one, i) => ({ ...one, place: g * 6 + i, g })),
    );
    const of = (spec: RewardSpec, signals: Readonly<Record<string, number>>): number =>
      Object.entries(spec.components).reduce(
        (sum, [name, { weight }]) => sum + weight * (signals[name] ?? NaN),
        0,
      );
    const whole = rollouts.filter(({ signals }) => Number.isFinite(of(before, signals) + of(after, signals)));
    const moved = { rollouts: 0, before: 0, after: 0 };
    const dead = { before: 0, after: 0 };
    let count = 0;
    for (let g = 0; g < groups.length; g++) {
      const own = whole.filter((one) => one.g === g);
      if (own.length < 2) continue;
      count++;
      for (const [when, spec] of [
        ["before", before],
        ["after", after],
      ] as const) {
        const values = own.map(({ signals }) => of(spec, signals));
        const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
        const std = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length);
        if (std < 1e-9) dead[when]++;
        own.forEach(({ place }, i) => {
          if (mask[place] !== 1) return;
          if (when === "before") moved.rollouts++;
          moved[when] += std < 1e-9 ? 0 : ((values[i] ?? 0) - mean) / std;
        });
      }
    }
    return {
      count,
      dead,
      before: moved.before / moved.rollouts,
      after: moved.after / moved.rollouts,
      rollouts: moved.rollouts,
    };
  }

  for (const [i, after] of ideas.entries())
    it(`gives what a count rollout by rollout gives, also where rollouts lack a signal (${i + 1})`, () => {
      const replay = replayIdea(parent, after);
      const expected = byHand(after);
      assert.ok(replay);
      assert.equal(replay.groups, expected.count);
      assert.deepEqual(replay.dead, expected.dead);
      const [label] = replay.labels;
      assert.equal(label?.rollouts, expected.rollouts);
      assert.ok(Math.abs(label.before - expected.before) < 1e-9);
      assert.ok(Math.abs(label.after - expected.after) < 1e-9);
    });

  it("is the same whatever was replayed before it", () => {
    const [first] = ideas;
    assert.ok(first);
    const once = replayIdea(parent, first);
    for (const after of ideas) replayIdea(parent, after);
    assert.deepEqual(replayIdea(parent, first), once);
    assert.equal(replayIdea(parent, before), null);
  });
});
