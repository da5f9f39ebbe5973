import assert from "node:assert/strict";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasEvidence, readItemIds, readTail, summariseEvidence } from "./evidenceSummary.ts";
import type { JobStatus } from "./executor.ts";
import { progressOf } from "./progress.ts";

describe("the evidence summary", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "evotrainer-evidence-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const line = (split: string, item: unknown, more = {}) => `${JSON.stringify({ ...more, split, item })}\n`;

  it("counts whole lines per split and item, and torn or unrelated ones", async () => {
    const text =
      line("train", "a") +
      line("selection", "ü", { extra: { split: "audit" }, text: "\u2028 \r" }) +
      "\n" +
      line("selection", "ü").replace("\n", "\r\n") +
      line("train", 7) +
      line("test", "a") +
      "null\n" +
      line("audit", "z", { pad: "x".repeat(3_000_000) }) +
      '{"split":"train","ite';
    writeFileSync(join(folder, "rollouts.jsonl"), text);
    writeFileSync(join(folder, "metrics.jsonl"), '{"step":1}\n');
    const summary = await summariseEvidence(folder);
    assert.deepEqual(summary.rollouts, { train: 1, selection: 2, audit: 1 });
    assert.deepEqual([...summary.items.selection], ["ü"]);
    assert.equal(summary.badLines, 4);
    assert.equal(summary.lastSplit, "audit");
    assert.equal(summary.bytes, Buffer.byteLength(text) + 11);
    assert.equal(hasEvidence(summary), true);
  });

  it("reads missing files as empty", async () => {
    const summary = await summariseEvidence(join(folder, "gone"));
    assert.deepEqual([summary.bytes, summary.badLines, hasEvidence(summary)], [0, 0, false]);
    assert.equal(await readTail(join(folder, "gone"), 10), "");
    assert.deepEqual(await readItemIds(join(folder, "gone")), []);
  });

  it("makes sense of the items of a split once per content", async () => {
    const [one, two] = [join(folder, "one.jsonl"), join(folder, "two.jsonl")];
    for (const path of [one, two]) writeFileSync(path, '{"id":"a"}\n');
    const ids = await readItemIds(one);
    assert.equal(await readItemIds(two), ids);
    writeFileSync(two, '{"id":"b"}\n');
    utimesSync(two, 1, 1);
    assert.deepEqual(await readItemIds(two), ["b"]);
    assert.deepEqual(await readItemIds(one), ["a"]);
  });

  it("reads the ids of a split and the end of a file", async () => {
    writeFileSync(join(folder, "s.jsonl"), '{"id":"a"}\n{"id":2}\n{"no":1}\nbroken\n{"id":"last"}');
    assert.deepEqual(await readItemIds(join(folder, "s.jsonl")), ["a", "2", "last"]);
    assert.equal(await readTail(join(folder, "s.jsonl"), 7), '"last"}');
  });
});

describe("progressOf", () => {
  const status = { state: "running", seconds: 20 } as JobStatus;
  const cases: [string, string, object][] = [
    ["nothing yet", "", { step: null, stepsTotal: null, reward: null, etaSeconds: null }],
    [
      "a step",
      '{"step":5,"steps_total":20,"reward":0.5}\n',
      { step: 5, stepsTotal: 20, reward: 0.5, etaSeconds: 60 },
    ],
    [
      "the newest value of each",
      '{"step":4,"steps_total":8,"reward":1}\n{"step":5,"reward":null}\n{"st',
      { step: 5, stepsTotal: 8, reward: 1, etaSeconds: 12 },
    ],
    ["step 0", '{"step":0,"steps_total":8}\n', { step: 0, stepsTotal: 8, etaSeconds: null }],
    ["more steps than announced", '{"step":9,"steps_total":8}\n', { etaSeconds: 0 }],
    [
      "odd values",
      'x\n{"step":2,"steps_total":"many","reward":"high"}\n[]\n{"step":-1}\n',
      { step: 2, stepsTotal: null, reward: null, etaSeconds: null },
    ],
    ["a tail that starts in the middle", 'p":1}\n{"step":3}\n', { step: 3 }],
  ];
  for (const [name, tail, expected] of cases)
    it(`reads ${name}`, () => {
      const progress = progressOf(tail, status);
      for (const [key, value] of Object.entries(expected)) assert.equal({ ...progress }[key], value, key);
    });
});
