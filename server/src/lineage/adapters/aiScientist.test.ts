import assert from "node:assert/strict";
import { findExperiments, joinStages } from "./aiScientist.ts";
import { detectLineage } from "./detect.ts";
import { parseJournal } from "./journalNodes.ts";
import { listFiles } from "./listing.ts";
import { readText } from "./readSource.ts";
import { fixture } from "../../../../test/support/lineage/fixtures.ts";

const stage = (number: number, ids: readonly string[], parents: Readonly<Record<string, string>> = {}) => ({
  number,
  journal: parseJournal(
    JSON.stringify({
      nodes: ids.map((id, step) => ({ id, step, code: id, plan: id, is_buggy: id.startsWith("bug") })),
      node2parent: parents,
    }),
    `stage_${number}`,
  ),
});

describe("ai-scientist-v2", () => {
  it("joins stages at the node that is carried over, which counts as kept", () => {
    const { nodes } = joinStages("e", [stage(2, ["a", "b"], { b: "a" }), stage(1, ["a", "x"])]);
    assert.deepEqual(
      nodes.map((n) => [n.key, n.parents.join(), n.decision, n.label]),
      [
        ["a", "", "keep", "1-00-a"],
        ["x", "", null, "1-01-x"],
        ["b", "a", null, "2-01-b"],
      ],
    );
  });
  it("does not count a buggy node as kept because it was carried over", () =>
    assert.equal(joinStages("e", [stage(1, ["bug"]), stage(2, ["bug"])]).nodes[0]?.decision, "reject"));
  it("finds the experiment above the stages, with or without a folder of logs", () => {
    const file = (name: string) => ({ name, path: `/${name}`, named: false });
    assert.deepEqual(
      [
        ...findExperiments([
          file("x/e1/stage_1_a/journal.json"),
          file("x/e1/stage_2_b/journal.json"),
          file("x/e2/logs/0-run/stage_1_a/journal.json"),
          file("journal.json"),
        ]).keys(),
      ],
      ["x/e1", "x/e2", ""],
    );
  });

  describe("on real experiments", () => {
    let root = "";
    before(function () {
      root = fixture(this, "lineage_ai_scientist_v2");
    });
    it("reads 20 journals of 312 nodes, with their exceptions", async () => {
      const files = (await listFiles([root])).filter((f) => f.name.endsWith("/journal.json"));
      assert.equal(files.length, 20);
      const counts: Record<string, number> = {};
      let nodes = 0;
      let buggy = 0;
      for (const file of files) {
        const journal = parseJournal((await readText(file.path, file.name)).value, file.name);
        assert.deepEqual(journal.problems, []);
        nodes += journal.nodes.length;
        buggy += journal.nodes.filter((n) => n["is_buggy"] === true).length;
        for (const n of journal.nodes)
          if (typeof n["exc_type"] === "string") counts[n["exc_type"]] = (counts[n["exc_type"]] ?? 0) + 1;
      }
      assert.deepEqual([nodes, buggy], [312, 109]);
      // Counted with a Python script over the files.
      assert.deepEqual(counts, {
        ModuleNotFoundError: 15,
        DatasetNotFoundError: 15,
        ValueError: 14,
        RuntimeError: 9,
        TypeError: 7,
        KeyError: 5,
        TimeoutError: 3,
        FSTimeoutError: 2,
        NameError: 1,
        ImportError: 1,
        LinAlgError: 1,
        OSError: 1,
        AttributeError: 1,
        ClientPayloadError: 1,
        AssertionError: 1,
      });
    });
    it("joins them to 5 trees of 297 nodes", async () => {
      const found = await detectLineage([root]);
      assert.equal(found.length, 5);
      let nodes = 0;
      let failures = 0;
      let overruns = 0;
      let rejected = 0;
      for (const one of found) {
        assert.ok(one.type === "readable" && one.format === "ai-scientist-v2");
        const lineage = await one.read();
        assert.deepEqual(lineage.problems, []);
        nodes += lineage.nodes.length;
        rejected += lineage.nodes.filter((n) => n.decision === "reject").length;
        failures += lineage.nodes.filter((n) => n.failure !== null).length;
        overruns += lineage.nodes.filter((n) => n.failure?.class === "train_budget_overrun").length;
        const keys = new Set(lineage.nodes.map((n) => n.key));
        assert.ok(lineage.nodes.every((n) => n.parents.every((p) => keys.has(p))));
        assert.ok(lineage.nodes.every((n) => n.primary === null));
      }
      // No node with an exception is carried over, so all 77 are there once.
      assert.deepEqual([nodes, failures, overruns], [297, 77, 3]);
      assert.ok(rejected >= failures);
    });
  });
});
