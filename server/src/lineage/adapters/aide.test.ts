import assert from "node:assert/strict";
import { isJournal, lineageOfJournal } from "./aide.ts";
import { detectLineage } from "./detect.ts";
import { parseJournal } from "./journalNodes.ts";
import { fixture } from "../../../../test/support/lineage/fixtures.ts";

const node = (id: string, more: object = {}) => ({
  id,
  code: "x",
  plan: `plan ${id}`,
  is_buggy: false,
  ...more,
});
const read = (value: unknown, layers = 0) => {
  let text = JSON.stringify(value);
  for (let i = 0; i < layers; i++) text = JSON.stringify(text);
  return lineageOfJournal("r", parseJournal(text, "journal.json"));
};

describe("aide", () => {
  for (const layers of [0, 1, 2])
    it(`reads a journal inside ${layers} layers of text`, () =>
      assert.equal(read({ nodes: [node("a")] }, layers).nodes.length, 1));
  it("takes parents from node2parent, an id, or an embedded node", () => {
    const { nodes } = read({
      nodes: [node("a"), node("b"), node("c", { parent: "a" }), node("d", { parent: node("c") })],
      node2parent: { b: "a" },
    });
    assert.deepEqual(
      nodes.map((n) => [n.key, ...n.parents]),
      [["a"], ["b", "a"], ["c", "a"], ["d", "c"]],
    );
  });
  it("makes nodes for embedded ancestors that are not listed", () => {
    const { nodes } = read({ nodes: [node("c", { parent: node("b", { parent: node("a") }) })] });
    assert.deepEqual(
      nodes.map((n) => [n.key, ...n.parents]),
      [["a"], ["b", "a"], ["c", "b"]],
    );
  });
  it("distinguishes a crash, a timeout and an opinion", () => {
    const { nodes } = read({
      nodes: [
        node("a", { is_buggy: true, exc_type: "ValueError", exc_info: { args: ["no", 3] }, exec_time: 2 }),
        node("b", { is_buggy: true, exc_type: "TimeoutError" }),
        node("c", { is_buggy: true, execution_info: { exc_type: null } }),
        node("d", { is_buggy: null }),
      ],
    });
    assert.deepEqual(
      nodes.map((n) => [n.decision, n.failure?.class, n.failure?.message, n.failure?.seconds]),
      [
        ["reject", "crash", "ValueError: no 3", 2],
        ["reject", "train_budget_overrun", "TimeoutError:", null],
        ["reject", undefined, undefined, undefined],
        [null, undefined, undefined, undefined],
      ],
    );
    assert.match(nodes[2]?.unknowns.at(-1)?.reason ?? "", /reviewing model/);
  });
  it("names entries that are not nodes, and continues", () => {
    const { nodes, problems } = read({ nodes: [null, { code: "x" }, node("a")] });
    assert.equal(nodes.length, 1);
    assert.deepEqual(
      problems.map((p) => p.reason),
      ["node 0 has no id", "node 1 has no id"],
    );
  });
  it("says that a document is not a journal", () =>
    assert.match(read({ a: 1 }).problems[0]?.reason ?? "", /no list of nodes/));
  it("is recognised by its fields, even inside a text", () => {
    assert.ok(isJournal("x/journal.json", JSON.stringify({ nodes: [node("a")] })));
    assert.ok(isJournal("x__journal.json", JSON.stringify(JSON.stringify({ nodes: [node("a")] }))));
    assert.ok(!isJournal("x/journal.json", "{}"));
  });

  it("reads two real journals", async function () {
    const found = await detectLineage([fixture(this, "lineage_aide_journal")]);
    const lineages = await Promise.all(found.flatMap((f) => (f.type === "readable" ? [f.read()] : [])));
    assert.deepEqual(
      lineages.map((l) => [l.format, l.nodes.length, l.nodes.filter((n) => n.decision === "reject").length]),
      [
        ["aide", 10, 4],
        ["aide", 1, 0],
      ],
    );
    const [first] = lineages;
    assert.deepEqual(
      first?.nodes.filter((n) => n.parents.length === 0).map((n) => n.label),
      ["s0-63bdd8", "s1-04e1ed"],
    );
    assert.deepEqual(first.metrics["metric"], { direction: "higher", unit: null });
  });
});
