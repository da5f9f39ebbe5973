import assert from "node:assert/strict";
import { join } from "node:path";
import type { LineageMapping } from "../../../../shared/spec/lineageMapping.ts";
import { HarnessError } from "../../base/errors.ts";
import { mapRows } from "./mapRows.ts";
import { isLineageMapping, parseMapping, parseRows, readMapped } from "./mapping.ts";
import { fixture } from "../../../../test/support/lineage/fixtures.ts";

const mapping = (body: string): LineageMapping =>
  parseMapping(`apiVersion: evotrainer/v1\nkind: Lineage\nname: m\n${body}`, "m.evidence.yaml");
const map = (how: LineageMapping, text: string, format: string, outcomes?: string) =>
  mapRows(how, parseRows(text, { name: "f", format, rows: how.rows }).value, {
    file: "f",
    ...(outcomes === undefined ? {} : { outcomes: parseRows(outcomes, { name: "o", format: "csv" }).value }),
  });

describe("a lineage mapping", () => {
  it("reads JSONL by dotted paths", () => {
    const { nodes, metrics } = map(
      mapping(
        "node: { id: meta.id, parent: meta.from, title: what, at: t }\nmetric: { field: m.loss, name: loss }\nfiles: { train.py: code }",
      ),
      '{"meta":{"id":7,"from":null},"what":"first","t":1773348490,"m":{"loss":2.5},"code":"x"}\n{"meta":{"id":8,"from":["7","6"]},"m":{"loss":"NaN"}}\n',
      "jsonl",
    );
    assert.deepEqual(
      nodes.map((n) => [n.key, n.parents, n.metrics["loss"], n.files]),
      [
        ["7", [], 2.5, { "train.py": "x" }],
        ["8", ["7", "6"], null, {}],
      ],
    );
    assert.deepEqual(metrics, { loss: { direction: "lower", unit: null } });
    assert.equal(nodes[1]?.unknowns[0]?.reason, "the ledger has no value");
  });
  it("reads plans, and settings as a file", () => {
    const { nodes } = map(
      mapping(
        "node: { id: id, title: what, note: why, plan: idea }\nfiles: { settings.json: config, train.py: config }",
      ),
      '{"id":"a","what":"x","why":"it failed","idea":"Halve the batch.","config":{"lr":0.5,"warmup":{"steps":3}}}\n{"id":"b","config":"text"}\n',
      "jsonl",
    );
    assert.deepEqual(
      nodes.map(({ plan, files }) => [plan, files]),
      [
        ["Halve the batch.", { "settings.json": '{\n  "lr": 0.5,\n  "warmup": {\n    "steps": 3\n  }\n}\n' }],
        [undefined, { "settings.json": "text", "train.py": "text" }],
      ],
    );
  });
  it("reads CSV, custom status words, and the rule that a trial follows the last kept one", () => {
    const { nodes } = map(
      mapping(
        "node: { id: id, parent: { rule: last-kept } }\nmetric: { field: acc, direction: higher }\nstatus: { field: s, words: { good: keep, bad: { decision: reject, failure: incomplete }, meh: undecided, keep: reject } }",
      ),
      "id,acc,s\na,0,good\nb,0.0,bad\nc,1,meh\nd,1,odd\ne,1,keep\n",
      "csv",
    );
    assert.deepEqual(
      nodes.map((n) => [n.key, n.parents.join(), n.decision, n.failure?.class ?? null, n.metrics["acc"]]),
      [
        ["a", "", "keep", null, 0],
        ["b", "a", "reject", "incomplete", null],
        ["c", "a", null, null, 1],
        ["d", "a", null, null, 1],
        ["e", "a", "reject", null, 1],
      ],
    );
  });
  it("reads the rows of a JSON document, and parents given as a list inside a text", () => {
    const { nodes } = map(
      mapping("rows: data.programs\nnode: { id: id, parent: parents }"),
      '{"data":{"programs":[{"id":"a","parents":"[]"},{"id":"b","parents":"[\\"a\\"]"}]}}',
      "json",
    );
    assert.deepEqual(
      nodes.map((n) => n.parents),
      [[], ["a"]],
    );
  });
  it("joins a table of trials: a trial that neither passed nor failed is unknown", () => {
    const { nodes, problems } = map(
      mapping(
        "node: { id: id }\noutcomes: { source: t.csv, node: run, item: task, outcome: ok, words: { '1': pass } }",
      ),
      '{"id":"a"}\n{"id":"b"}\n',
      "jsonl",
      "run,task,ok\na,x,1\na,y,false\na,z,timeout\nq,x,1\na,,1\n",
    );
    assert.deepEqual(
      nodes[0]?.outcomes?.map((o) => o.outcome),
      ["pass", "fail", "unknown"],
    );
    assert.equal(nodes[1]?.outcomes, undefined);
    assert.deepEqual(
      problems.map((p) => p.reason),
      ["it names no item", "its trials of q match no row of f"],
    );
  });
  it("calls a field that no row has a mistake in the mapping", () =>
    assert.throws(
      () => map(mapping("node: { id: id }\nmetric: { field: los }"), '{"id":1,"loss":2}', "jsonl"),
      (e: unknown) => HarnessError.is(e, "badInput") && /"los".*id, loss/.test(e.message),
    ));
  it("sets aside a row without an id, with its line", () =>
    assert.equal(map(mapping("node: { id: id }"), '{"id":1}\n{"id":null}', "jsonl").problems[0]?.line, 2));
  for (const [body, pattern] of [
    ["node: {}", /node\.id/],
    ["node: { id: x }\nstatus: { field: s, words: { a: nope } }", /status\.words\.a/],
    ["node: { id: x }\nfiles: { .git/config: c }", /\.git\/config/],
    ["node: { id: x }\nfiles: { ../up: c }", /files/],
    ["node: [", /not YAML/],
    ["node: { id: x }\nextra: 1", /extra/],
  ] as const)
    it(`refuses ${JSON.stringify(body)}`, () =>
      assert.throws(
        () => mapping(body),
        (e: unknown) => HarnessError.is(e, "specInvalid") && pattern.test(e.message),
      ));
  it("is recognised by name and kind", () => {
    assert.ok(isLineageMapping("a.evidence.yaml", "kind: Lineage\n"));
    assert.ok(!isLineageMapping("a.evidence.yaml", "kind: Rollouts\n"));
    assert.ok(!isLineageMapping("a.yaml", "kind: Lineage\n"));
  });

  it("reads the 786 nodes of the index of seven openevolve runs", async function () {
    const path = join(fixture(this, "lineage_openevolve_mas"), "DERIVED_all_runs_index.jsonl");
    const how = mapping(
      "node: { id: id, parent: parent_id, at: timestamp }\nmetric: { field: metrics.combined_score, direction: higher }",
    );
    const { nodes, problems } = await readMapped(how, { path, name: "index.jsonl" }, path);
    assert.deepEqual(problems, []);
    const keys = new Set(nodes.map((n) => n.key));
    assert.equal(keys.size, 786);
    assert.equal(nodes.filter((n) => n.parents.some((p) => !keys.has(p))).length, 10);
  });
  it("reads both ledgers of parameter_golf", async function () {
    const folder = join(fixture(this, "lineage_autoresearch"), "parameter_golf");
    const ledger = join(folder, "autoresearch_pg__state__ledger.jsonl");
    const runs = await readMapped(
      mapping(
        "node: { id: candidate_id, parent: parent_candidate_id, at: created_at, title: mutation_operator }\nmetric: { field: objective.post_quant_val_bpb, name: val_bpb, direction: lower }\nstatus: { field: return_code, words: { '0': undecided, '1': { decision: reject, failure: crash } } }",
      ),
      { path: ledger, name: "ledger.jsonl" },
      ledger,
    );
    const keys = new Set(runs.nodes.map((n) => n.key));
    assert.deepEqual([runs.nodes.length, keys.size, runs.problems.length], [50, 50, 0]);
    assert.equal(runs.nodes.filter((n) => n.failure !== null).length, 2);
    assert.ok(runs.nodes.every((n) => n.at !== null && n.parents.every((p) => keys.has(p))));
    const table = join(folder, "results.tsv");
    const trials = await readMapped(
      mapping(
        "node: { id: run_id, parent: { rule: last-kept }, at: timestamp, title: idea, note: notes }\nmetric: { field: val_bpb, direction: lower }\nstatus: { field: decision, words: { error: { decision: reject, failure: crash }, infra_retry: undecided } }",
      ),
      { path: table, name: "results.tsv" },
      table,
    );
    const count = (word: string): number => trials.nodes.filter((n) => n.status === word).length;
    assert.deepEqual([count("keep"), count("revert"), count("error"), count("infra_retry")], [8, 26, 9, 8]);
    assert.equal(trials.nodes.filter((n) => n.metrics["val_bpb"] === null).length, 17);
    assert.deepEqual(trials.nodes.at(-1)?.parents, ["pgolf_0042"]);
  });
});
