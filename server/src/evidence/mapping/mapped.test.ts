import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { foreignFile } from "../importing/foreignFile.ts";
import { allRollouts, importPaths, tally } from "../../../../test/support/evidence/import.ts";
import { loadDuckDb } from "../../base/loadDuckDb.ts";
import { makeWorkspace } from "../../../../test/support/evidence/evidence.ts";
import {
  maxWholeDocument,
  Refusal,
  type Draft,
  type Entry,
  type RolloutDraft,
} from "../adapters/parts/adapter.ts";
import { mappedAdapter } from "./mapped.ts";
import { fuzzAdapter, jsonSample } from "../../../../test/support/adapters/fuzzAdapter.ts";

const head = (records: string, at?: string): string =>
  `apiVersion: evotrainer/v1\nkind: Evidence\nname: mine\nmatch: ["mine*"]\nrecords: ${records}\n${at === undefined ? "" : `at: ${at}\n`}`;

/** For records of JSON, with numbers. */
const plain = `fields:
  item: record.task
  prompt: record.task
  completion: record.answer
  reward: record.score
  outcome:
    unknown: record.?error
    pass: record.score >= 1
    fail: record.score < 1
`;

/** For tables, where everything is text. */
const texts = `fields:
  item: record.task
  reward: double(record.score)
  step: int(record.step)
  extra: { line: line }
  outcome:
    unknown: record.error
    pass: double(record.score) >= 1
    fail: double(record.score) < 1
`;

describe("a format described by a mapping file", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "evotrainer-mapped-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function put(name: string, content: string | Uint8Array) {
    const path = join(folder, name);
    await writeFile(path, content);
    return foreignFile(path);
  }

  const rolloutOf = ([draft]: readonly Draft[]): RolloutDraft => {
    assert.ok(draft?.type === "rollout");
    return draft;
  };

  /** `record item outcome reward`, `record! problem` or `waiting n` per entry. */
  function shown(entry: Entry): string {
    if ("waiting" in entry) return `waiting ${entry.waiting}`;
    if ("problem" in entry) return `${entry.record}! ${entry.problem}`;
    const { item, verdict, reward } = rolloutOf(entry.drafts);
    return `${entry.record} ${item ?? ""} ${verdict.outcome} ${reward ?? "null"}`;
  }

  async function drafts(mapping: string, name: string, content: string | Uint8Array): Promise<Entry[]> {
    return entries(mapping, await put(name, content));
  }

  async function entries(mapping: string, file: Awaited<ReturnType<typeof put>>): Promise<Entry[]> {
    const adapter = mappedAdapter(mapping, "mine.evidence.yaml");
    assert.ok(adapter.unit === "file");
    const found: Entry[] = [];
    for await (const entry of adapter.read(file)) found.push(entry);
    return found;
  }

  const list = JSON.stringify([
    { task: "a", answer: "x", score: 1 },
    { task: "b", answer: "y", score: 0.5 },
    { task: "c", answer: "z", score: 0, error: "sandbox lost" },
    { answer: "no task" },
  ]);
  const fromList = [
    "1 a pass 1",
    "2 b fail 0.5",
    "3 c unknown 0",
    "4! The record has no item. item (record.task): There is no task here.",
  ];

  const documents: readonly (readonly [
    what: string,
    at: string | undefined,
    content: string,
    want: readonly string[],
  ])[] = [
    ["a list", undefined, list, fromList],
    ["a list under a key", "rows", `{"meta": {"rows": 3}, "rows": ${list}, "n": 4}`, fromList],
    [
      "a byte order mark and NaN",
      undefined,
      '\ufeff[{"task": "a", "answer": "x", "score": NaN}]',
      ["1 a unknown null"],
    ],
  ];
  for (const [what, at, content, want] of documents)
    for (const large of [false, true])
      it(`reads JSON with ${what}${large ? ", too large for memory" : ""}`, async () => {
        const file = await put("mine.json", content);
        const found = await entries(
          head("json", at) + plain,
          large ? { ...file, size: maxWholeDocument + 1 } : file,
        );
        assert.deepEqual(found.map(shown), want);
      });

  it("reads a whole document as one record, and a list deep inside a document", async () => {
    const one = await drafts(head("json") + plain, "mine.json", '{"task": "a", "answer": "x", "score": 2}');
    assert.deepEqual(one.map(shown), ["1 a pass 2"]);
    const deep = await drafts(head("json", "a.b") + plain, "mine.json", `{"a": {"b": ${list}}}`);
    assert.equal(deep.length, 4);
  });

  it("waits for the missing end of a large document", async () => {
    const torn = await put("mine.json", '[{"task": "a", "answer": "x", "score": 1}, {"task": "b", "an');
    const found = await entries(head("json") + plain, { ...torn, size: maxWholeDocument + 1 });
    assert.deepEqual(found.map(shown), ["1 a pass 1", "waiting 17"]);
  });

  it("continues after a damaged record of a large document", async () => {
    const file = await put("mine.json", '[{"task": x}, {"task": "b", "answer": "y", "score": 1}]');
    const found = await entries(head("json") + plain, { ...file, size: maxWholeDocument + 1 });
    assert.match(shown(found[0] ?? { waiting: 0 }), /^1! it is not JSON /);
    assert.deepEqual(found.slice(1).map(shown), ["2 b pass 1"]);
  });

  it("reads a document that really is too large for memory", async function () {
    this.timeout(60_000);
    const row = JSON.stringify({ task: "a", answer: "x".repeat(2 ** 20), score: 1 });
    const file = await put("mine.json", `{"rows": [${Array(66).fill(row).join(",")}]}`);
    assert.ok(file.size > maxWholeDocument);
    const found = await entries(head("json", "rows") + plain, file);
    assert.deepEqual([found.length, shown(found.at(-1) ?? { waiting: 0 })], [66, "66 a pass 1"]);
  });

  const refusals: readonly (readonly [
    what: string,
    at: string | undefined,
    content: string,
    large: boolean,
    why: RegExp,
  ])[] = [
    ["a file that is not JSON", undefined, "hello", false, /it is not a JSON document/],
    ["half a document", undefined, '[{"task": 1}', false, /it is not a JSON document/],
    [
      "a document without a list at the path",
      "rows.here",
      '{"rows": {}}',
      false,
      /there is no list at rows\.here/,
    ],
    [
      "a large document without a list",
      undefined,
      '{"task": "a"}',
      true,
      /larger than 64 MiB and is not a list; give the path of the list of records with at:/,
    ],
    ["a large list with a path into it", "rows", "[]", true, /there is no list at rows: its top is a list/],
    [
      "a large document with the list deep inside",
      "a.b",
      '{"a": {"b": []}}',
      true,
      /the list at a\.b is not at the top/,
    ],
    ["a large document without the key", "rows", '{"a": []}', true, /no list with records at rows/],
  ];
  for (const [what, at, content, large, why] of refusals)
    it(`refuses ${what}`, async () => {
      const file = await put("mine.json", content);
      await assert.rejects(
        entries(head("json", at) + plain, large ? { ...file, size: maxWholeDocument + 1 } : file),
        (e: Error) => Refusal.is(e) && why.test(e.message),
      );
    });

  const tables: readonly (readonly [
    what: string,
    records: "csv" | "tsv",
    content: string,
    want: readonly string[],
  ])[] = [
    [
      "CSV with quotes, lines in a cell and CRLF",
      "csv",
      'task,score,step,error\r\n"a, ""1""",1,3,\r\n"b\nb",0.5,4,\r\nc,0,5,oom\r\n',
      ['2 a, "1" pass 1', "3 b\nb fail 0.5", "5 c unknown 0"],
    ],
    [
      "TSV with a lone quote",
      "tsv",
      'task\tscore\tstep\terror\na "b\t1\t3\t\nc\t0\t4\t\n',
      ['2 a "b pass 1', "3 c fail 0"],
    ],
    [
      "short and long rows",
      "csv",
      "task,score,step,error\na,1\nb,1,2,,5\nc,1,2,\n",
      ["2! it has 2 fields, but the header has 4", "3! it has 5 fields, but the header has 4", "4 c pass 1"],
    ],
    ["a row that is being written", "csv", "task,score,step,error\na,1,2,\nb,0", ["2 a pass 1", "waiting 3"]],
    ["nothing but a header", "csv", "task,score,step,error\n", []],
  ];
  for (const [what, records, content, want] of tables)
    it(`reads ${what}`, async () => {
      const found = await drafts(head(records) + texts, `mine.${records}`, content);
      assert.deepEqual(found.map(shown), want);
    });

  it("keeps the numbers of a table as text, and gives expressions the line number", async () => {
    const asWritten = texts.replace("double(record.score)\n  step", "record.score\n  step");
    const [entry] = await drafts(head("csv") + asWritten, "mine.csv", "task,score,step,error\n\na,1,7,\n");
    assert.ok(entry && "drafts" in entry);
    const { reward, step, extra, verdict } = rolloutOf(entry.drafts);
    assert.deepEqual([reward, step, verdict], [null, 7, { outcome: "pass" }]);
    assert.deepEqual(extra?.["line"], 3);
    assert.match(JSON.stringify(extra["mapping_problems"]), /^\["reward: It must be a number, not a string/);
  });

  it("gives the reason of an unknown outcome", async () => {
    const rows = "task,score,step,error\na,1,1,sandbox lost\nb,?,1,\nc,nan,1,\n";
    const reasons = (await drafts(head("csv") + texts, "mine.csv", rows)).map((entry) => {
      assert.ok("drafts" in entry);
      const { verdict } = rolloutOf(entry.drafts);
      return verdict.outcome === "unknown" ? verdict.reason : verdict.outcome;
    });
    assert.equal(reasons[0], "sandbox lost");
    assert.match(reasons[1] ?? "", /^outcome\.pass could not be decided: /);
    assert.equal(reasons[2], "The record is neither pass nor fail.");
  });

  it("reads parquet with its types, lists and structs", async () => {
    const path = join(folder, "mine.parquet");
    const instance = await loadDuckDb().DuckDBInstance.create(":memory:", { threads: "1" });
    const connection = await instance.connect();
    await connection.run(
      `COPY (SELECT 't' || i AS task, [{role: 'user', content: 'q' || i}, {role: 'assistant', content: 'a'}] AS messages,
                    CASE i WHEN 0 THEN 1 WHEN 1 THEN 0 WHEN 2 THEN 'NaN'::DOUBLE END::DOUBLE AS score,
                    i::BIGINT AS step, 9007199254740993::BIGINT + i AS big
             FROM range(3000) t(i)) TO '${path.replaceAll("'", "''")}' (FORMAT parquet)`,
    );
    connection.closeSync();
    instance.closeSync();
    const found = await entries(
      `${head("parquet")}fields:
  item: record.task
  turns: { from: record.messages }
  reward: record.score
  step: record.step
  extra: { big: record.big }
  outcome: { pass: record.score == 1.0, fail: record.score == 0.0 }
`,
      await foreignFile(path),
    );
    assert.equal(found.length, 3000);
    assert.deepEqual(found.slice(0, 2).map(shown), ["1 t0 pass 1", "2 t1 fail 0"]);
    assert.match(shown(found[2] ?? { waiting: 0 }), /^3 t2 unknown null$/);
    const [first] = found;
    assert.ok(first && "drafts" in first);
    const { turns, step, extra } = rolloutOf(first.drafts);
    assert.deepEqual(
      turns.map(({ role, text }) => [role, text]),
      [
        ["user", "q0"],
        ["assistant", "a"],
      ],
    );
    assert.deepEqual([step, extra?.["big"]], [0, "9007199254740993"]);
  });

  it("refuses a file that is not parquet", () =>
    assert.rejects(
      drafts(head("parquet") + plain, "mine.parquet", "PAR1 or so"),
      (e: Error) => HarnessError.is(e, "badInput") && /not a readable parquet file/.test(e.message),
    ));

  it("claims files only by their names", async () => {
    const adapter = mappedAdapter(head("csv") + texts, "mine.evidence.yaml");
    assert.ok(await adapter.detect(await put("mine.csv", "")));
    assert.ok(!(await adapter.detect(await put("yours.csv", "task,score,step,error\n"))));
  });

  const wrong: readonly (readonly [what: string, text: string, every: readonly RegExp[]])[] = [
    ["broken YAML", "a: [", [/Line 1: /]],
    [
      "keys and values that do not exist",
      `${head("xml")}fields: { item: record.a, outcom: {} }\n`,
      [/records: /, /fields\.outcome: /, /outcom/],
    ],
    [
      "invalid expressions",
      `${head("jsonl")}fields:\n  item: recrd.a\n  reward: record.(\n  outcome: { pass: "true", fail: nope(1) }\n`,
      [/fields\.item: .*recrd/, /fields\.reward: /, /fields\.outcome\.fail: .*nope/],
    ],
    [
      "nothing that names the task",
      `${head("jsonl")}fields: { outcome: { pass: "true", fail: "false" } }\n`,
      [/fields\.item: Say what/],
    ],
  ];
  for (const [what, text, every] of wrong)
    it(`refuses a mapping with ${what}, naming the file and every problem`, () =>
      assert.throws(
        () => mappedAdapter(text, "mine.evidence.yaml"),
        (e: Error) => {
          assert.ok(HarnessError.is(e, "specInvalid") && e.message.startsWith("mine.evidence.yaml: "));
          for (const one of every) assert.match(e.message, one);
          return true;
        },
      ));

  it("reads lines and tables into the archive, keeps unreadable values in extra and quarantines the rest", async () => {
    const workspace = await makeWorkspace();
    try {
      const store = await workspace.open();
      const lines = `${JSON.stringify({ task: "a", answer: "x", score: "1" })}\n${JSON.stringify({ task: "b", answer: 7, score: 1 })}\n`;
      await writeFile(workspace.file("mine.jsonl"), lines);
      const jsonl = mappedAdapter(head("jsonl") + plain, "mine.evidence.yaml");
      const first = await importPaths(store, [workspace.file("mine.jsonl")], { mapped: [jsonl] });
      assert.deepEqual([first.counts.rollouts, first.counts.quarantined], [1, 1]);
      assert.match(first.counts.problems[0]?.reason ?? "", /The record has no completion/);
      const [rollout] = await allRollouts(store);
      assert.equal(rollout?.reward, null);
      assert.equal(rollout.outcome, "unknown");
      assert.match(JSON.stringify(rollout.extra), /mapping_problems.*reward: /);

      await writeFile(workspace.file("mine.csv"), "task,score,step,error\nc,1,2,\nd,0\ne,0,2,\n");
      const csv = mappedAdapter(head("csv") + texts, "mine.evidence.yaml");
      const second = await importPaths(store, [workspace.file("mine.csv")], { mapped: [csv] });
      assert.deepEqual(second.counts.problems, [
        { path: "mine.csv", line: 3, reason: "it has 2 fields, but the header has 4" },
      ]);
      assert.deepEqual(await tally(store, "outcome"), { fail: 1, pass: 1, unknown: 1 });
      assert.equal(
        (await importPaths(store, [workspace.file("mine.csv")], { mapped: [csv] })).counts.unchanged,
        1,
      );
    } finally {
      await workspace.remove();
    }
  });

  for (const [records, mapping, sample] of [
    ["json", plain, jsonSample("mine.json", [{ task: "a", answer: "x", score: 1, error: null }])],
    ["jsonl", plain, jsonSample("mine.jsonl", { task: "a", answer: "x", score: 1, error: null })],
    ["csv", texts, { name: "mine.csv", bytes: Buffer.from('task,score,step,error\na,1,2,"x"\nb,0,3,\n') }],
    [
      "tsv",
      texts,
      { name: "mine.tsv", bytes: Buffer.from("task\tscore\tstep\terror\na\t1\t2\tx\nb\t0\t3\t") },
    ],
  ] as const)
    it(`reads or refuses ${records}, whatever it contains`, () =>
      fuzzAdapter(mappedAdapter(head(records) + mapping, "mine.evidence.yaml"), [sample]));
});
