import assert from "node:assert/strict";
import { seededRandom } from "../../base/random.ts";
import type { ItemOutcomes } from "../scores/outcomes.ts";
import { comparePaired } from "./compare.ts";
import { compareIqm } from "./iqmComparison.ts";
import { selectedItems } from "./selectedItems.ts";

/** Outcomes by chance: each sample of each item passes in half of the cases. */
function run(seed: number, items: readonly number[], samples = 1): ItemOutcomes[] {
  const random = seededRandom(seed);
  return items.map((i) => {
    const pass = Array.from({ length: samples }, () => random()).filter((x) => x < 0.5).length;
    return { item: `i${i}`, pass, fail: samples - pass, unknown: 0 };
  });
}
const all = Array.from({ length: 200 }, (_, i) => i);
const placesOf = (outcomes: readonly ItemOutcomes[]): number[] =>
  outcomes.map(({ item }) => Number(item.slice(1)));

describe("items that were selected by how a version did", () => {
  const a = run(1, all);
  const failed = placesOf(a.filter(({ pass }) => pass === 0));
  const again = run(2, failed);

  it("have no verdict: what failed by chance passes by chance the next time", () => {
    const found = comparePaired("a", a, again, { aggregator: "micro", confidence: 0.95 });
    assert.ok(found);
    assert.ok(found.low > 0.2, "the interval alone would say that it improved");
    assert.equal(found.verdict, "withheld");
    assert.deepEqual(
      [found.selected?.of, found.selected?.items, found.selected?.all, found.selected?.rate],
      ["a", failed.length, 200, 0],
    );
    assert.equal(compareIqm("a", a, again, { confidence: 0.95 })?.verdict, "withheld");
  });
  it("have none either way round", () => {
    const found = comparePaired("b", again, a, { aggregator: "micro", confidence: 0.95 });
    assert.deepEqual([found?.verdict, found?.selected?.of], ["withheld", "b"]);
  });
  it("have none where others were run beside them", () => {
    const more = run(2, [...failed, ...Array.from({ length: 100 }, (_, i) => 900 + i)]);
    const found = comparePaired("a", a, more, { aggregator: "micro", confidence: 0.95 });
    assert.deepEqual([found?.verdict, found?.selected?.of], ["withheld", "a"]);
    assert.deepEqual([found?.items, found?.alone], [failed.length, [200 - failed.length, 100]]);
  });
  it("are not those of a draw or of the same items", () => {
    for (let seed = 0; seed < 20; seed++) {
      const random = seededRandom(100 + seed);
      const drawn = all.filter(() => random() < 0.4);
      assert.equal(selectedItems(a, run(seed + 3, drawn)), null, `seed ${seed}`);
    }
    assert.equal(selectedItems(a, run(2, all)), null);
    assert.equal(selectedItems(a, run(2, [900, 901])), null);
    assert.equal(
      comparePaired("a", a, run(2, all), { aggregator: "micro", confidence: 0.95 })?.alone,
      undefined,
    );
    assert.equal(selectedItems(a, []), null);
    assert.equal(selectedItems([], a), null);
  });
  it("are found among few items only where the difference is plain", () => {
    const few = (passes: number, n: number, from = 0): ItemOutcomes[] =>
      Array.from({ length: n }, (_, i) => ({
        item: `i${from + i}`,
        ...{ pass: i < passes ? 1 : 0, fail: i < passes ? 0 : 1, unknown: 0 },
      }));
    assert.ok(selectedItems([...few(0, 4), ...few(6, 6, 4)], few(3, 4)));
    assert.equal(selectedItems([...few(1, 3), ...few(3, 5, 3)], few(2, 3)), null);
  });
});
