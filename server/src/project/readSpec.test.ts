import assert from "node:assert/strict";
import { z } from "zod";
import { readSpec } from "./readSpec.ts";

/** A list of ten, ten times in a list, and so on: few bytes that unfold to billions. */
const laughs = `${Array.from({ length: 10 }, (_, i) => {
  const items = Array(10).fill(i === 0 ? "x" : `*a${i - 1}`);
  return `a${i}: &a${i} [${items.join(", ")}]`;
}).join("\n")}\n`;

describe("the text of a spec", () => {
  it("is refused if its anchors would unfold without end", () => {
    const read = readSpec("evotrainer.yaml", laughs, z.record(z.string(), z.unknown()));
    assert.ok(!read.ok);
    assert.match(read.problems[0].message, /Excessive alias count/);
  });

  it("may use anchors as people do", () => {
    const read = readSpec("evotrainer.yaml", "a: &a [1]\nb: *a\n", z.record(z.string(), z.unknown()));
    assert.deepEqual(read, { ok: true, value: { a: [1], b: [1] } });
  });
});
