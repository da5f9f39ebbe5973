import assert from "node:assert/strict";
import { join } from "node:path";
import { noCommits } from "./foreignCommits.ts";
import { isPiAutoresearch, lineageOf, readPiAutoresearch } from "./piAutoresearch.ts";
import { parseJsonLines } from "./readSource.ts";
import { fixture } from "../../../../test/support/lineage/fixtures.ts";

const config = '{"type":"config","name":"n","metricName":"ms","metricUnit":"ms","bestDirection":"lower"}\n';
const read = (text: string) =>
  lineageOf(
    { name: "autoresearch.jsonl", path: "/r/autoresearch.jsonl" },
    parseJsonLines(text, "f").value,
    noCommits,
  );

describe("pi-autoresearch", () => {
  it("reads metric, unit, direction and time", () => {
    const lineage = read(
      `${config}{"run":1,"commit":"aaaaaaa","metric":5,"metrics":{"n":2},"status":"keep","description":"Baseline","timestamp":1773348490227}\n`,
    );
    assert.deepEqual(lineage.metrics, {
      ms: { direction: "lower", unit: "ms" },
      n: { direction: null, unit: null },
    });
    assert.equal(lineage.nodes[0]?.decision, "base");
    assert.equal(new Date(lineage.nodes[0].at ?? 0).toISOString(), "2026-03-12T20:48:10.227Z");
  });
  it("follows a second configuration, and names lines that are not runs", () => {
    const lineage = read(
      `${config}{"run":1,"metric":5,"status":"keep"}\n{"type":"config","metricName":"kb","bestDirection":"higher"}\n{"run":1,"metric":9,"status":"weird"}\n[]\n`,
    );
    assert.deepEqual(
      lineage.nodes.map((n) => [n.key, n.primary, n.parents, n.decision]),
      [
        ["run-1", "ms", [], "keep"],
        ["run-1~2", "kb", ["run-1"], null],
      ],
    );
    assert.equal(lineage.problems[0]?.line, 5);
  });
  it("is recognised by its first line", () => {
    assert.ok(isPiAutoresearch("autoresearch.jsonl", config));
    assert.ok(!isPiAutoresearch("autoresearch.jsonl", '{"run":1}'));
  });
  it("reads all of shopify_liquid", async function () {
    const folder = fixture(this, "lineage_autoresearch");
    const { nodes, problems } = await readPiAutoresearch({
      path: join(folder, "shopify_liquid/autoresearch.jsonl"),
      name: "autoresearch.jsonl",
      named: true,
    });
    assert.equal(nodes.length, 29);
    assert.deepEqual(problems, []);
    const of = (status: string) => nodes.filter((n) => n.status === status);
    assert.deepEqual([of("keep").length, of("discard").length, of("crash").length], [10, 16, 3]);
    assert.ok(of("crash").every((n) => Object.values(n.metrics).every((v) => v === null)));
    assert.equal(Math.min(...nodes.flatMap((n) => n.metrics["combined_µs"] ?? [])), 3314);
  });
});
