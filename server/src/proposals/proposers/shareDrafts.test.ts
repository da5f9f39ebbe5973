import assert from "node:assert/strict";
import { seededRandom } from "../../base/random.ts";
import { shareDrafts } from "./shareDrafts.ts";
import type { TrackRecord } from "./trackRecord.ts";

const record = (proposer: string, cameTrue: number, judged: number, seconds: number | null): TrackRecord => ({
  ...{ proposer, judged, cameTrue, seconds },
});

/** The share of 4,000 drafts that each gets. */
function shares(...records: readonly TrackRecord[]): Record<string, number> {
  const random = seededRandom(7);
  const made: Record<string, number> = Object.fromEntries(records.map(({ proposer }) => [proposer, 0]));
  for (let i = 0; i < 1000; i++)
    for (const { proposer, count } of shareDrafts(4, records, random))
      made[proposer] = (made[proposer] ?? 0) + count / 4000;
  return made;
}

const near = (share: number | undefined, expected: number): void =>
  assert.ok(Math.abs((share ?? 0) - expected) < 0.04, `${share} is not near ${expected}`);

describe("drafts shared out among proposers", () => {
  it("go to all alike while nothing is known of any", () => {
    const shared = shares(record("a", 0, 0, null), record("b", 0, 0, null));
    near(shared["a"], 0.5);
  });

  it("go to those whose predictions come true, and still to the others at times", () => {
    const shared = shares(record("right", 8, 10, 60), record("wrong", 2, 10, 60));
    assert.ok((shared["right"] ?? 0) > 0.95);
    const early = shares(record("right", 2, 2, 60), record("wrong", 0, 2, 60));
    // Of Beta(3, 1) against Beta(1, 3) the larger one is the first in 95 %.
    near(early["right"], 0.95);
    assert.ok((early["wrong"] ?? 0) > 0);
  });

  it("go to the cheaper one of two that are equally good", () => {
    const shared = shares(record("cheap", 5, 10, 60), record("dear", 5, 10, 180));
    assert.ok((shared["cheap"] ?? 0) > 0.9);
    const twice = shares(record("unknown", 5, 10, null), record("known", 5, 10, 60));
    near(twice["unknown"], 0.5);
  });

  it("are as many as were asked for, and the same for the same numbers", () => {
    const records = [record("a", 1, 2, 10), record("b", 0.5, 1, 20), record("c", 0, 0, null)];
    const once = shareDrafts(7, records, seededRandom(3));
    assert.equal(
      once.reduce((sum, { count }) => sum + count, 0),
      7,
    );
    assert.deepEqual(shareDrafts(7, records, seededRandom(3)), once);
    assert.deepEqual(shareDrafts(0, records, seededRandom(3)), []);
  });
});
