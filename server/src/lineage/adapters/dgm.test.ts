import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { detectLineage } from "./detect.ts";
import type { ForeignLineage } from "./foreign.ts";
import { fixture } from "../../../../test/support/lineage/fixtures.ts";

const folder = mkdtempSync(join(tmpdir(), "evotrainer dgm "));
const write = (path: string, content: unknown): void => {
  const whole = join(folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, typeof content === "string" ? content : JSON.stringify(content, null, 4));
};
async function readOnly(path: string): Promise<ForeignLineage> {
  const found = await detectLineage([path]);
  assert.equal(found.length, 1);
  const [one] = found;
  assert.ok(one?.type === "readable" && one.format === "dgm");
  return one.read();
}

describe("dgm", () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("reads generations that are objects over many lines, and the file of each node", async () => {
    const generation = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
    write(
      "run/dgm_metadata.jsonl",
      generation({
        generation: 0,
        selfimprove_entries: [
          ["initial", "django__1"],
          ["initial", "django__2"],
        ],
        children: ["20250101_000001_1", "20250101_000002_2"],
        children_compiled: ["20250101_000001_1"],
        archive: ["initial", "20250101_000001_1"],
      }) +
        generation({
          generation: 1,
          selfimprove_entries: [
            ["initial", "a"],
            ["20250101_000001_1", "b"],
          ],
          children: ["20250101_000003_3", "20250101_000004_4"],
          children_compiled: ["20250101_000003_3", "20250101_000004_4"],
          archive: ["initial", "20250101_000001_1", "20250101_000003_3"],
        }),
    );
    write("run/initial/metadata.json", {
      run_id: "initial",
      overall_performance: {
        accuracy_score: 0.5,
        total_submitted_instances: 3,
        total_resolved_ids: ["a"],
        total_unresolved_ids: ["b"],
        total_emptypatch_ids: [],
      },
    });
    write("run/20250101_000003_3/metadata.json", {
      run_id: "20250101_000003_3",
      parent_commit: "20250101_000001_1",
      entry: "solve_stochasticity",
      overall_performance: { accuracy_score: 0.25 },
    });
    write("run/20250101_000003_3/model_patch.diff", "--- a\n+++ b\n");
    write("run/20250101_000003_3/report/metadata.json", { something: "else" });
    const { nodes, problems, gaps } = await readOnly(join(folder, "run"));
    assert.deepEqual(problems, []);
    assert.deepEqual(
      nodes.map((n) => [n.key, n.parents.join(), n.decision, n.status]),
      [
        ["initial", "", "base", null],
        ["20250101_000001_1", "initial", "keep", "archived"],
        ["20250101_000002_2", "initial", "reject", "not compiled"],
        ["20250101_000003_3", "20250101_000001_1", "keep", "archived"],
        // Two parents were tried and its own file is gone: nobody knows which of them it came from.
        ["20250101_000004_4", "parent of generation 1", "reject", "not archived"],
      ],
    );
    assert.match(gaps["parent of generation 1"] ?? "", /initial, 20250101_000001_1/);
    assert.equal(nodes[3]?.title, "solve_stochasticity");
    assert.deepEqual(nodes[3].files, { "model_patch.diff": "--- a\n+++ b\n" });
    assert.equal(new Date(nodes[3].at ?? 0).toISOString(), "2025-01-01T00:00:03.000Z");
    assert.deepEqual(
      nodes[0]?.outcomes?.map((o) => o.outcome),
      ["pass", "fail", "unknown"],
    );
  });

  it("names the line of an invalid generation", async () => {
    write("bad/dgm_metadata.jsonl", '{\n"children": []\n}\n{"x": 1}\n{\n"children": [\n');
    const { problems } = await readOnly(join(folder, "bad"));
    assert.deepEqual(
      problems.map((p) => p.line),
      [5, 4],
    );
  });

  it("reads the initial agent: 12 of 60 resolved", async function () {
    const { nodes, missing } = await readOnly(fixture(this, "agent_dgm_initial"));
    assert.equal(nodes.length, 1);
    assert.equal(nodes[0]?.metrics["accuracy_score"], 0.2);
    const outcomes = nodes[0].outcomes ?? [];
    const count = (outcome: string): number => outcomes.filter((o) => o.outcome === outcome).length;
    // 2 of the 60 that were submitted are in no list: neither resolved nor not.
    assert.deepEqual([outcomes.length, count("pass"), count("fail"), count("unknown")], [60, 12, 46, 2]);
    assert.equal(missing[0]?.field, "decision");
  });
});
