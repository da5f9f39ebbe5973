import assert from "node:assert/strict";
import { liveProbability, replaySamplers, type ItemRecord, type SamplerReplay } from "./curriculum.ts";

const item = (name: string, passes: number, fails: number): ItemRecord => ({ item: name, passes, fails });
const plan = { prompts: 4, group: 8, steps: 50, keep: [0.1, 0.9], seed: 1 } as const;
const replays = (
  items: readonly ItemRecord[],
  more: Partial<typeof plan> = {},
): Record<string, SamplerReplay> =>
  Object.fromEntries(replaySamplers(items, { ...plan, ...more }).map((r) => [r.kind, r]));

describe("a curriculum replayed on archived pass rates", () => {
  it("knows how likely a group has both outcomes, and does not take one rollout for a pass rate", () => {
    // With a large record p is known: 1 − 2 · 0.5^8.
    assert.ok(Math.abs(liveProbability(item("a", 1e7, 1e7), 8) - (1 - 2 * 0.5 ** 8)) < 1e-6);
    // Beta(1.5, 0.5), two rollouts: 1 − (1.5 · 2.5 + 0.5 · 1.5) / (2 · 3).
    assert.ok(Math.abs(liveProbability(item("a", 1, 0), 2) - 0.25) < 1e-12);
    assert.ok(liveProbability(item("a", 1000, 0), 8) < 0.01);
    assert.ok(Math.abs(liveProbability(item("a", 3, 5), 1)) < 1e-12);
  });

  it("says what a gate leaves: more live groups of fewer items", () => {
    const items = [
      ...Array.from({ length: 30 }, (_, i) => item(`hard-${i}`, 0, 64)),
      ...Array.from({ length: 10 }, (_, i) => item(`half-${i}`, 32, 32)),
      item("unknown", 0, 0),
    ];
    const found = replays(items);
    const of = (kind: string, what: "admitted" | "covered" | "most" | "starved"): number | undefined =>
      found[kind]?.[what];
    const live = (kind: string): number => found[kind]?.live?.mean ?? NaN;
    assert.deepEqual(
      ["uniform", "gate", "weighted"].map((kind) => of(kind, "admitted")),
      [40, 10, 10],
    );
    assert.deepEqual([of("uniform", "covered"), of("uniform", "most")], [40, 5]);
    assert.deepEqual([of("gate", "covered"), of("gate", "most"), of("gate", "starved")], [10, 20, 0]);
    assert.ok(live("gate") > 3.9 && live("uniform") < 1.5 && Number(of("uniform", "starved")) > 25);
    // It begins with the easiest 6 of 40, and goes on to harder ones.
    assert.ok(Number(of("easy-first", "covered")) > 30 && Number(found["easy-first"]?.live?.most) > 3.9);
  });

  it("says that a gate lets nothing in, and gives an answer for no items", () => {
    const gate = replays([item("a", 8, 0), item("b", 0, 8)])["gate"];
    assert.deepEqual([gate?.admitted, gate?.live, gate?.starved], [0, null, 50]);
    assert.ok(Object.values(replays([])).every((r) => r.live === null));
  });

  it("draws the same items for the same seed", () => {
    const items = Array.from({ length: 20 }, (_, i) => item(`${i}`, i, 20 - i));
    assert.deepEqual(replays(items), replays(items));
  });
});
