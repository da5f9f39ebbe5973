import assert from "node:assert/strict";
import type { EvidenceRow, EvidenceWindow } from "../../../shared/protocol/views/evidence.ts";
import { blockRows, RowStore } from "./rowStore.ts";

const row = (rid: number): EvidenceRow => ({
  rid,
  id: String(rid),
  run: "r",
  step: 0,
  item: "i",
  sample: 0,
  outcome: "pass",
  reward: null,
  stop_reason: null,
  tokens: null,
  labels: [],
  notes: 0,
});
const page = (
  offset: number,
  count: number,
  list: string | null = "1",
  rows: number | null = 1_000_000,
): EvidenceWindow => ({
  split: "train",
  offset,
  list,
  rows,
  counts: null,
  rollouts: Array.from({ length: count }, (_, i) => row(offset + i)),
});

describe("the rows of a list", () => {
  it("are read ahead in the direction of scrolling, the visible ones first", () => {
    const rows = new RowStore();
    assert.deepEqual(rows.begin(0), { offset: 0, limit: blockRows, list: null });
    rows.take(page(0, 100, null));
    rows.look(0, 40);
    assert.deepEqual(rows.next(0), { offset: 100, limit: 200, list: null });
    rows.take(page(100, 200));
    // The first page came before the list was made.
    assert.deepEqual(rows.next(0), { offset: 0, limit: 100, list: "1" });
    rows.take(page(0, 100));
    assert.equal(rows.next(0), undefined);
    rows.look(500_000, 500_040);
    assert.equal(rows.next(0)?.offset, 500_000);
    rows.take(page(500_000, 300));
    rows.look(499_990, 500_030);
    assert.deepEqual(rows.next(0), { offset: 499_900, limit: 100, list: "1" });
    rows.take(page(499_900, 100));
    assert.equal(rows.next(0)?.offset, 499_700);
  });

  it("wait for a request for visible rows, and replace a slow request for rows out of view", () => {
    const rows = new RowStore();
    rows.take(page(0, 100));
    rows.look(5000, 5040);
    assert.equal(rows.next(0)?.offset, 5000);
    assert.equal(rows.next(1000), undefined);
    rows.look(90_000, 90_040);
    assert.equal(rows.next(50), undefined);
    assert.equal(rows.next(150)?.offset, 90_000);
  });

  it("are forgotten when their list is made again, or when they are far away", () => {
    const rows = new RowStore();
    rows.take(page(0, 100));
    rows.take(page(300, 100, "2", 350));
    assert.equal(rows.at(5), undefined);
    assert.equal(rows.at(301)?.rid, 301);
    assert.equal(rows.rows, 350);
    assert.equal(rows.indexOf(399), 399);
    for (let block = 0; block < 500; block++) rows.take(page(block * blockRows, 100, "2"));
    assert.ok(Array.from({ length: 50_000 }, (_, i) => rows.at(i)).filter(Boolean).length <= 8000);
    assert.equal(rows.at(0)?.rid, 0);
  });

  it("stay until they are there anew when all of them are asked for once more", () => {
    const rows = new RowStore();
    rows.take(page(0, 100));
    rows.look(0, 40);
    assert.equal(rows.next(0)?.offset, 100);
    rows.askAgain();
    assert.equal(rows.at(5)?.rid, 5);
    assert.deepEqual(rows.next(1), { offset: 0, limit: 100, list: "1" });
    rows.take(page(0, 100));
    assert.equal(rows.next(2)?.offset, 100);
  });

  it("are read on past the known end while the total is unknown", () => {
    const rows = new RowStore();
    rows.take(page(0, 100, null, null));
    assert.equal(rows.rows, 101);
    assert.equal(rows.isCounted, false);
    rows.look(0, 40);
    assert.equal(rows.next(0)?.offset, 100);
    rows.take(page(100, 7, "1", 107));
    assert.equal(rows.rows, 107);
  });
});
