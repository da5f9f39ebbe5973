import assert from "node:assert/strict";
import { mayBeEvidence, onlyGrows } from "./followedFolder.ts";
import { isPlainPath } from "./hostFolder.ts";

describe("a folder of a host", () => {
  it("names no file outside the copy", () => {
    for (const path of ["1.jsonl", "a b/it's.json", "x/.hidden.json", "ä/ö.csv"])
      assert.ok(isPlainPath(path), path);
    for (const path of [
      "",
      "../1.jsonl",
      "a/../../1.jsonl",
      "/etc/1.jsonl",
      "a//1.jsonl",
      "a/./1.jsonl",
      "a\\..\\1.jsonl",
      "C:1.jsonl",
      "a\n1.jsonl",
      "a\u001b[2J.jsonl",
      "a\u202e.jsonl",
      "dots./1.jsonl",
      "x".repeat(300),
      "a/".repeat(40) + "1.jsonl",
    ])
      assert.ok(!isPlainPath(path), JSON.stringify(path));
  });

  it("is asked only for what may be evidence", () => {
    for (const name of ["3.jsonl", "trainer_state.json", "events.out.tfevents.1.host", "c.parquet", "m.csv"])
      assert.ok(mayBeEvidence(name), name);
    for (const name of [
      "model.safetensors",
      "tokenizer.json",
      "model.safetensors.index.json",
      "train.log",
      "a.pt",
    ])
      assert.ok(!mayBeEvidence(name), name);
    assert.deepEqual(["a.jsonl", "m.csv", "events.out.tfevents.1", "a.json", "c.parquet"].map(onlyGrows), [
      ...[true, true, true],
      ...[false, false],
    ]);
  });
});
