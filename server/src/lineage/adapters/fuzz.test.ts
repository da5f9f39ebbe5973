import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import { noCommits } from "./foreignCommits.ts";
import { placeNodes } from "../importing/importTree.ts";
import { joinStages } from "./aiScientist.ts";
import { lineageOfJournal } from "./aide.ts";
import { lineageOf as autoresearch } from "./autoresearch.ts";
import { lineageOf as dgm } from "./dgm.ts";
import type { ForeignLineage } from "./foreign.ts";
import { parseJournal } from "./journalNodes.ts";
import { mapRows } from "./mapRows.ts";
import { parseMapping, parseRows } from "./mapping.ts";
import { mergeCheckpoints } from "./openevolve.ts";
import { lineageOf as piAutoresearch } from "./piAutoresearch.ts";
import { parseJson, parseJsonDocuments, parseJsonLines, parseTable } from "./readSource.ts";
import { fixtureOrNone } from "../../../../test/support/lineage/fixtures.ts";

const file = { name: "r/f", path: "/r/f" };
const mapping = parseMapping(
  "apiVersion: evotrainer/v1\nkind: Lineage\nname: m\nnode: { id: id, parent: parent_id }\nstatus: { field: status }\nmetrics: []",
  "m",
);
/** A row gives every field, so that no mapping is refused for a field that is nowhere. */
const anchor = { id: "anchor", parent_id: null, status: "keep" };

/** Each parser: a text in, a lineage out, whatever the text is. */
const parsers: Readonly<Record<string, (text: string) => ForeignLineage>> = {
  autoresearch: (t) => autoresearch(file, parseTable(t, "f", "\t").value, noCommits),
  "pi-autoresearch": (t) => piAutoresearch(file, parseJsonLines(t, "f").value, noCommits),
  openevolve: (t) => {
    const { value } = parseJson(t, "f");
    return mergeCheckpoints("r", [
      { number: 1, programs: [{ file: "f", value }], metadata: undefined },
      { number: 2, programs: [], metadata: value },
    ]);
  },
  aide: (t) => lineageOfJournal("r", parseJournal(t, "f")),
  "ai-scientist-v2": (t) => joinStages("r", [{ number: 1, journal: parseJournal(t, "f") }]),
  dgm: (t) =>
    dgm(
      "r",
      [],
      parseJsonDocuments(t, "f").value.map(({ value }) => ({ file: "f", value, patch: undefined })),
    ),
  "mapping of JSONL": (t) =>
    mapRows(mapping, parseRows(`${JSON.stringify(anchor)}\n${t}`, { name: "f", format: "jsonl" }).value, {
      file: "f",
    }),
  "mapping of CSV": (t) =>
    mapRows(
      mapping,
      parseRows(`id,parent_id,status\nanchor,,keep\n${t}`, { name: "f", format: "csv" }).value,
      {
        file: "f",
      },
    ),
};

/** What holds of every lineage, however broken its source. */
function checkSound(lineage: ForeignLineage): void {
  for (const node of lineage.nodes) {
    for (const value of Object.values(node.metrics)) assert.ok(value === null || Number.isFinite(value));
    assert.ok(node.at === null || (Number.isFinite(node.at) && node.at >= 0));
    assert.ok(!/[\r\n]/.test(node.title));
    if (node.failure?.class === "crash") assert.ok(Object.values(node.metrics).every((v) => v !== 0));
  }
  const tree = placeNodes(lineage, new Map(), new Set());
  assert.equal(new Set(tree.placed.map((p) => p.name)).size, tree.placed.length);
}

const seeds: Readonly<Record<string, readonly string[]>> = {
  autoresearch: [
    "commit\tval_bpb\tmemory_gb\tstatus\tdescription\nbaseline\t1\t2\tkeep\tx\naaaaaaa\t0.0\t0\tcrash\ty\n",
  ],
  "pi-autoresearch": [
    '{"type":"config","metricName":"m"}\n{"run":1,"metric":0,"metrics":{"a":0},"status":"crash"}\n',
  ],
  openevolve: [
    '{"id":"a","parent_id":"b","metrics":{"x":0,"error":"e"},"islands":[["a"]],"archive":["a"],"timestamp":1.7e9}',
  ],
  aide: [
    '"{\\"nodes\\":[{\\"id\\":\\"a\\",\\"is_buggy\\":true,\\"metric\\":{\\"value\\":NaN},\\"parent\\":{\\"id\\":\\"b\\"}}]}"',
  ],
  "ai-scientist-v2": [
    '{"nodes":[{"id":"a","metric":{"value":{"metric_names":[{"metric_name":"m","lower_is_better":true,"data":[{"dataset_name":"d","final_value":Infinity}]}]}}}],"node2parent":{"a":"a"}}',
  ],
  dgm: [
    '{\n"run_id":"a",\n"parent_commit":"b","overall_performance":{"total_resolved_ids":["x"],"total_submitted_instances":3}}\n{"run_id":1}',
  ],
  "mapping of JSONL": ['{"id":"a","parent_id":"[\\"b\\"]","status":"iterate"}\n'],
  "mapping of CSV": ['"a","b",keep\n"c,d\n'],
};

/** Real files, cut to a size that a run can afford. */
function realSeeds(): Record<string, string[]> {
  const read = (set: string, path: string, bytes = 6000): string[] => {
    const folder = fixtureOrNone(set);
    return folder === undefined ? [] : [readFileSync(join(folder, path), "utf8").slice(0, bytes)];
  };
  const whole = (set: string, pick: (name: string) => boolean): string[] => {
    const folder = fixtureOrNone(set);
    if (folder === undefined) return [];
    const name = readdirSync(folder).find(pick);
    return name === undefined ? [] : [readFileSync(join(folder, name), "utf8")];
  };
  return {
    autoresearch: read("lineage_autoresearch", "karpathy_exp_H100_mar8/results.tsv"),
    "pi-autoresearch": read("lineage_autoresearch", "shopify_liquid/autoresearch.jsonl"),
    aide: whole("lineage_aide_journal", (n) => n.startsWith("hRa")),
    dgm: read("agent_dgm_initial", "metadata.json"),
    "mapping of JSONL": read("lineage_openevolve_mas", "DERIVED_all_runs_index.jsonl"),
  };
}

type Mutation = { readonly at: number; readonly length: number; readonly text: string };
const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat({ max: 30 }),
  text: fc.oneof(
    fc.constantFrom(
      "",
      "\n",
      "\t",
      "\0",
      '"',
      "\\",
      "{",
      "[",
      "}",
      "]",
      "NaN",
      "null",
      "1e999",
      "-0",
      "\uFFFD",
      "\ud800",
      "__proto__",
    ),
    fc.string({ maxLength: 8 }),
  ),
});
function mutate(text: string, mutations: readonly Mutation[]): string {
  let mutated = text;
  for (const { at, length, text: put } of mutations) {
    const from = Math.floor(at * mutated.length);
    mutated = mutated.slice(0, from) + put + mutated.slice(from + length);
  }
  return mutated;
}

describe("readers of lineages, on broken input", () => {
  const real = realSeeds();
  for (const [name, parse] of Object.entries(parsers)) {
    it(`${name}: any text`, () =>
      fc.assert(
        fc.property(fc.oneof(fc.string({ maxLength: 200 }), fc.json()), (text) => checkSound(parse(text))),
        { numRuns: fuzzRuns() },
      ));
    it(`${name}: mutated files`, () =>
      fc.assert(
        fc.property(
          fc.constantFrom(...(seeds[name] ?? []), ...(real[name] ?? [])),
          fc.array(mutation, { maxLength: 6 }),
          (text, mutations) => checkSound(parse(mutate(text, mutations))),
        ),
        { numRuns: fuzzRuns() },
      ));
  }
  it("mapping files: any text is a mapping or refused by name", () =>
    fc.assert(
      fc.property(fc.array(mutation, { maxLength: 6 }), fc.string({ maxLength: 100 }), (mutations, noise) => {
        const text = `apiVersion: evotrainer/v1\nkind: Lineage\nname: m\nnode: { id: id }\nstatus: { field: s }\n`;
        for (const t of [noise, mutate(text, mutations)])
          try {
            parseMapping(t, "m");
          } catch (e) {
            assert.equal(e instanceof Error ? e.name : "", "HarnessError");
          }
      }),
      { numRuns: fuzzRuns() },
    ));
});
