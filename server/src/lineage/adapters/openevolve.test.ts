import assert from "node:assert/strict";
import { detectLineage } from "./detect.ts";
import { mergeCheckpoints, type Checkpoint } from "./openevolve.ts";
import { fixture } from "../../../../test/support/lineage/fixtures.ts";

const program = (id: string, parent: string | null, more: object = {}) => ({
  file: `${id}.json`,
  value: {
    id,
    parent_id: parent,
    code: `# ${id}`,
    language: "python",
    metrics: { combined_score: 1 },
    ...more,
  },
});
const checkpoint = (number: number, programs: Checkpoint["programs"], metadata?: unknown): Checkpoint => ({
  number,
  programs,
  metadata,
});

describe("openevolve", () => {
  it("keeps an ancestor that occurs only in an early checkpoint", () => {
    const { nodes } = mergeCheckpoints("r", [
      checkpoint(20, [program("c", "b")]),
      checkpoint(10, [program("a", null), program("b", "a")]),
    ]);
    assert.deepEqual(
      nodes.map((n) => [n.key, n.parents, n.decision]),
      [
        ["a", [], "base"],
        ["b", ["a"], "prune"],
        ["c", ["b"], "keep"],
      ],
    );
  });
  it("uses the latest measurement of a program", () => {
    const { nodes } = mergeCheckpoints("r", [
      checkpoint(10, [program("a", null)]),
      checkpoint(20, [program("a", null, { metrics: { combined_score: 3 } })]),
    ]);
    assert.equal(nodes[0]?.metrics["combined_score"], 3);
  });
  it("does not read a 0 beside an error as a measurement", () => {
    const { nodes } = mergeCheckpoints("r", [
      checkpoint(10, [program("a", null, { metrics: { runs: 0, error: "invalid syntax" } })]),
    ]);
    assert.equal(nodes[0]?.metrics["runs"], null);
    assert.equal(nodes[0].failure?.message, "invalid syntax");
  });
  it("reports island, archive, best and migrant", () => {
    const { nodes } = mergeCheckpoints("r", [
      checkpoint(5, [program("a", null), program("m_migrant_1", "a", { metadata: { migrant: true } })], {
        islands: [["a"], ["m_migrant_1"]],
        archive: ["a"],
        best_program_id: "a",
      }),
    ]);
    const reason = (key: string): string => nodes.find((n) => n.key === key)?.reason ?? "";
    assert.match(reason("a"), /best program at checkpoint 5.*island 0 and in the archive/);
    assert.match(reason("m_migrant_1"), /island 1\. A migrant/);
  });
  it("names a file that is not a program", () =>
    assert.match(
      mergeCheckpoints("r", [checkpoint(1, [{ file: "x", value: [] }])]).problems[0]?.reason ?? "",
      /not a program/,
    ));

  it("merges the checkpoints of a real run without losing an ancestor", async function () {
    const found = await detectLineage([fixture(this, "lineage_openevolve_mas")]);
    assert.deepEqual(
      found.map((f) => [f.format, f.name, f.type]),
      [["openevolve", "multi_agent_evolution", "readable"]],
    );
    const [run] = found;
    assert.ok(run?.type === "readable");
    const { nodes, problems } = await run.read();
    assert.deepEqual(problems, []);
    assert.equal(nodes.length, 44);
    const keys = new Set(nodes.map((n) => n.key));
    assert.ok(nodes.every((n) => n.parents.every((p) => keys.has(p))));
    assert.deepEqual(
      nodes.filter((n) => n.parents.length === 0).map((n) => n.label),
      ["i0-13b97d62"],
    );
    assert.equal(nodes.filter((n) => n.failure !== null).length, 3);
    assert.equal(new Set(nodes.map((n) => n.files["program.py"])).size, 44 - 15);
    assert.equal(nodes.filter((n) => n.key.includes("_migrant_")).length, 3);
  });
});
