import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { EntryLog, EntryLogBuilder, emptyLog } from "./entryLog.ts";

const note = (n: number, text = `é ${n}`): LedgerEntry => ({
  id: `note:${n}`,
  at: "2026-01-01T00:00:00.000Z",
  domain: n % 3 === 0 ? "swe" : "math",
  type: "note",
  version: `v${n % 7}`,
  what: "text",
  value: text,
  by: "ada",
});
const begun = (name: string, parent: string | null): LedgerEntry => ({
  id: `version:${name}`,
  at: "2026-01-01T00:00:00.000Z",
  domain: "swe",
  type: "version",
  version: name,
  commit: "a".repeat(40),
  parent,
  generation: 0,
  factor: null,
  intervention: null,
  title: name,
});
const notes = (from: number, to: number): LedgerEntry[] =>
  Array.from({ length: to - from }, (_, i) => note(from + i));

describe("a log of ledger entries", () => {
  it("gives back the entries that it was made from, in their order", () => {
    const all = [...notes(0, 700), note(700, "long ".repeat(100_000)), ...notes(701, 1500)];
    const log = EntryLog.of(all);
    assert.ok(log.blocks.length > 3);
    assert.deepEqual([...log], all);
    assert.deepEqual(log.at(1499), all[1499]);
    assert.throws(() => log.at(1500), RangeError);
    assert.throws(() => emptyLog.at(0), RangeError);
  });

  it("does not change when a longer one is made from it", () => {
    const logs = [emptyLog];
    for (let n = 0; n < 600; n += 20) logs.push((logs.at(-1) ?? emptyLog).with(notes(n, n + 20)));
    for (const [i, log] of logs.entries()) assert.deepEqual([...log], notes(0, 20 * i));
    assert.deepEqual(
      logs.at(-1)?.blocks.map(({ count }) => count),
      [256, 256, 88],
    );
  });

  it("can have another order than the one in which its entries were read", () => {
    const builder = new EntryLogBuilder();
    for (const entry of notes(0, 600)) builder.add(entry);
    const log = builder.build(Int32Array.from({ length: 600 }, (_, i) => 599 - i));
    assert.deepEqual([...log], notes(0, 600).reverse());
    assert.equal(log.nameOf(log.subjectAt(0)), "v4");
    assert.equal(log.domainOf(log.subjectAt(0)), "math");
    const longer = log.with([note(600)]);
    assert.deepEqual(longer.at(600), note(600));
    assert.deepEqual(longer.at(0), note(599));
  });

  it("knows the type, the version and the parent of each entry", () => {
    const log = EntryLog.of([begun("v0", null), note(0), begun("v1", "v0")]);
    assert.deepEqual(
      [0, 1, 2].map((place) => [log.typeAt(place), log.nameOf(log.subjectAt(place))]),
      [
        ["version", "v0"],
        ["note", "v0"],
        ["version", "v1"],
      ],
    );
    assert.deepEqual([log.parentAt(0), log.parentAt(2)], [-1, log.subjectAt(0)]);
  });

  it("finds entries by their ids", () => {
    const log = EntryLog.of(notes(0, 1000));
    const found = log.withIds(["note:999", "note:0", "note:1000", "nonsense"]);
    assert.deepEqual(
      [...found],
      [
        ["note:0", note(0)],
        ["note:999", note(999)],
      ],
    );
    assert.equal(log.withIds([]).size, 0);
  });

  it("knows whether it continues another log", () => {
    const log = EntryLog.of(notes(0, 10));
    const longer = log.with(notes(10, 20));
    assert.equal(longer.continues(log), true);
    assert.equal(log.continues(longer), false);
    assert.equal(log.with(notes(30, 40)).with(notes(40, 50)).continues(longer), false);
    assert.equal(EntryLog.of(notes(0, 20)).continues(log), false);
  });
});
