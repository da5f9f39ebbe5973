import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { appendFile, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { Refusal, type Adapter, type ForeignFile } from "../adapters/parts/adapter.ts";
import { mappedAdapter } from "../mapping/mapped.ts";
import { verl } from "../adapters/trainers/verl.ts";
import { readRegistrations } from "../store/registrations.ts";
import { rebuildStore, type Store } from "../archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { allRollouts, importPaths, tally } from "../../../../test/support/evidence/import.ts";

const sample = (changes: object = {}): string =>
  `${JSON.stringify({ input: "user\n2+2?\nassistant\n", output: "4", score: 1, step: 1, ...changes })}\n`;

const mapping = `apiVersion: evotrainer/v1
kind: Evidence
name: mine
records: jsonl
match: ["mine*.jsonl"]
fields:
  item: record.task
  prompt: record.task
  completion: record.answer
  reward: record.score
  outcome: { pass: record.score == 1, fail: record.score == 0 }
`;

describe("importing foreign files", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function put(path: string, text: string | Uint8Array): Promise<string> {
    const full = workspace.file(path);
    await mkdir(join(full, ".."), { recursive: true });
    await writeFile(full, text);
    return full;
  }

  it("decides outcomes that have no verdict by the condition, and gives a reason when the condition cannot decide", async () => {
    const path = await put("a.jsonl", sample() + sample({ score: 0 }) + sample({ score: null }));
    await importPaths(store, [path], { passWhen: "reward >= 1.0" });
    assert.deepEqual(await tally(store, "outcome"), { fail: 1, pass: 1, unknown: 1 });
  });

  it("refuses an invalid condition before it reads anything", async () => {
    const path = await put("a.jsonl", sample());
    await assert.rejects(
      importPaths(store, [path], { passWhen: "rewrd >= 1" }),
      (e: Error) => HarnessError.is(e, "badInput") && e.message.includes("rewrd"),
    );
  });

  it("reads a file again when it is imported with other options, and keeps the options that are not named", async () => {
    const path = await put("a.jsonl", sample() + sample({ score: 0 }));
    await importPaths(store, [path], { passWhen: "reward >= 1.0" });
    await importPaths(store, [path], { version: "base", split: "selection" });
    await importPaths(store, [path]);
    assert.deepEqual(await tally(store, "outcome"), { fail: 1, pass: 1 });
    assert.deepEqual(await tally(store, "version"), { base: 2 });
    assert.deepEqual(await tally(store, "split"), { selection: 2 });
    assert.deepEqual(await tally(store, "sample"), { 0: 1, 1: 1 });
  });

  it("reads everything again when the archive is rebuilt", async () => {
    const path = await put("a.jsonl", sample() + "[torn\n");
    const mine = await put("mine.jsonl", `${JSON.stringify({ task: "t", answer: "a", score: 1 })}\n`);
    await importPaths(store, [path], { passWhen: "reward >= 1.0", version: "base" });
    await importPaths(store, [mine], { mapped: [mappedAdapter(mapping, "mine.evidence.yaml")] });
    const before = await allRollouts(store);
    assert.deepEqual(before.map((r) => [r.item, r.outcome, r.reward]).at(-1), ["t", "pass", 1]);
    await store.close();
    const rebuilt = await rebuildStore({ path: workspace.database, evidenceRoot: workspace.root });
    try {
      assert.deepEqual([rebuilt.imported, rebuilt.missing], [2, []]);
      assert.deepEqual(await allRollouts(rebuilt.store), before);
      const quarantined = await rebuilt.store.query({
        sql: "SELECT line::INT AS line FROM quarantine",
        params: [],
      });
      assert.deepEqual(quarantined, [{ line: 2 }]);
    } finally {
      await rebuilt.store.close();
    }
  });

  it("names a registered file that is gone when the archive is rebuilt", async () => {
    const path = await put("a.jsonl", sample());
    await importPaths(store, [path]);
    await store.close();
    await rm(path);
    const rebuilt = await rebuildStore({ path: workspace.database, evidenceRoot: workspace.root });
    await rebuilt.store.close();
    assert.deepEqual(rebuilt.missing, [{ path, reason: `There is no file ${path}.` }]);
  });

  it("does not register a file that it could not begin to read", async () => {
    const [broken, whole] = [await put("broken.jsonl", sample()), await put("whole.jsonl", sample())];
    const prepare = (file: ForeignFile) =>
      file.path === broken ? Promise.reject(new Refusal("what lies beside it is broken")) : Promise.resolve();
    const { counts } = await importPaths(store, [broken, whole], { as: { ...verl, prepare } });
    assert.deepEqual(counts.refused, [{ path: broken, reason: "what lies beside it is broken" }]);
    const registered = async () => (await readRegistrations(store.path)).map(({ path }) => path);
    assert.deepEqual(await registered(), ["whole.jsonl"]);
    assert.equal((await importPaths(store, [broken])).counts.rollouts, 1);
    assert.deepEqual(await registered(), ["whole.jsonl", "broken.jsonl"]);
  });

  it("refuses a file whose beginning changed, and continues with the others", async () => {
    const path = await put("a.jsonl", sample());
    await importPaths(store, [path]);
    await writeFile(path, sample({ output: "another" }) + sample());
    const other = await put("b.jsonl", sample());
    const { counts } = await importPaths(store, [path, other]);
    assert.equal(counts.rollouts, 1);
    assert.match(counts.refused[0]?.reason ?? "", /was replaced/);
  });

  it("replaces the values of a file that is read as a whole and has changed", async () => {
    const path = await put("run/trainer_state.json", JSON.stringify({ log_history: [{ step: 1, loss: 2 }] }));
    await importPaths(store, [path]);
    await writeFile(
      path,
      JSON.stringify({
        log_history: [
          { step: 1, loss: 3 },
          { step: 2, loss: 1 },
        ],
      }),
    );
    const { counts } = await importPaths(store, [path]);
    assert.equal(counts.read, 1);
    const values = await store.query({
      sql: "SELECT step::INT AS step, value FROM metrics ORDER BY step",
      params: [],
    });
    assert.deepEqual(values, [
      { step: 1, value: 3 },
      { step: 2, value: 1 },
    ]);
    assert.equal((await importPaths(store, [path])).counts.unchanged, 1);
  });

  it("reports an incomplete last line, waits, and reads it once it is complete", async () => {
    const path = await put("a.jsonl", `${sample()}{"input": "x`);
    const { counts } = await importPaths(store, [path]);
    assert.deepEqual([counts.rollouts, counts.quarantined, counts.waiting], [1, 0, [{ path, bytes: 12 }]]);
    await appendFile(path, 'y", "output": "z", "score": 0, "step": 1}\n');
    assert.equal((await importPaths(store, [path])).counts.rollouts, 1);
  });

  const bad: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x0a]), /UTF-8/],
    [
      "nesting 10,000 deep",
      `{"input": ${"[".repeat(10_000)}${"]".repeat(10_000)}}\n`,
      /nests deeper than 1000/,
    ],
    ["a number as text", sample({ input: 7 }), /input and output must be strings/],
    ["a list", "[1, 2]\n", /must be an object/],
  ];
  for (const [what, content, reason] of bad)
    it(`quarantines ${what} with its line and continues`, async () => {
      const path = await put(
        "a.jsonl",
        Buffer.concat([Buffer.from(sample()), Buffer.from(content), Buffer.from(sample())]),
      );
      const { counts } = await importPaths(store, [path]);
      assert.deepEqual([counts.rollouts, counts.quarantined], [2, 1]);
      assert.equal(counts.problems[0]?.line, 2);
      assert.match(counts.problems[0].reason, reason);
    });

  it("quarantines a line of 50 MB without holding it in memory", async function () {
    this.timeout(60_000);
    const path = await put("a.jsonl", sample());
    await appendFile(path, `{"input": "${"x".repeat(50 * 2 ** 20)}"}\n${sample()}`);
    const { counts } = await importPaths(store, [path]);
    assert.deepEqual([counts.rollouts, counts.quarantined], [2, 1]);
    assert.match(counts.problems[0]?.reason ?? "", /longer than 32 MiB/);
  });

  it("quarantines a reused id, whatever the rest of the line says", async () => {
    const twice = sample({ request_id: "r" }) + sample({ request_id: "r", score: 0 });
    const { counts } = await importPaths(store, [await put("a.jsonl", twice)]);
    assert.deepEqual([counts.rollouts, counts.quarantined], [1, 1]);
    assert.match(counts.problems[0]?.reason ?? "", /"r" is already used/);
  });

  it("names empty and unknown files, and lists contract files separately", async () => {
    await put("in/empty.jsonl", "");
    await put("in/readme.md", "# hello");
    await put("in/contract.jsonl", toLine(makeRollout()));
    const { skipped } = await importPaths(store, [workspace.file("in")]);
    assert.deepEqual(
      skipped.unrecognised.map((u) => u.reason),
      ["the file is empty", "it is in no known format"],
    );
    assert.deepEqual(skipped.contract, [workspace.file("in/contract.jsonl")]);
  });

  it("says of a file in another encoding, compressed or cut off what it is", async () => {
    const line = `${JSON.stringify({ input: "1", output: "2", score: 1, step: 1 })}\n`;
    const files: Readonly<Record<string, Buffer>> = {
      "1.jsonl": Buffer.from(`\ufeff${line}`, "utf16le"),
      "2.jsonl": Buffer.from(`\ufeff${line}`, "utf16le").swap16(),
      "3.jsonl.gz": gzipSync(line),
      "4.jsonl": Buffer.from(line.slice(0, 20)),
    };
    for (const [name, bytes] of Object.entries(files)) {
      await put(`in/${name}`, "");
      await writeFile(workspace.file(`in/${name}`), bytes);
    }
    const { skipped } = await importPaths(store, [workspace.file("in")]);
    const utf16 =
      "it is text in UTF-16, and only UTF-8 is read: convert it, e.g. with iconv -f UTF-16 -t UTF-8";
    assert.deepEqual(
      skipped.unrecognised.map((u) => u.reason),
      [
        utf16,
        utf16,
        "it is compressed with gzip: unpack it first",
        "it is in no known format: it begins like JSON, and its first line is not a whole value",
      ],
    );
  });

  it("says of an unknown file what its first record has, and which format that is close to", async () => {
    const keys = "abcdefghij".split("").map((key) => [key, [1]]);
    await put("in/1.jsonl", `${JSON.stringify({ input: "1", output: "2", score: 1 })}\n`);
    await put("in/2.jsonl", `${JSON.stringify(Object.fromEntries(keys))}\n`);
    await put("in/3.csv", "question,label\nWhy?,good\n");
    await put("in/4.csv", "version,score,n\nv1,0.5,100\n");
    const { skipped } = await importPaths(store, [workspace.file("in")]);
    const plain = "it is in no known format; its first record has";
    assert.deepEqual(
      skipped.unrecognised.map((u) => u.reason),
      [
        `${plain} "input", "output", "score"; that is close to verl, without step: if it is that, --as verl reads it`,
        `${plain} "a", "b", "c", "d", "e", "f", "g", "h" and 2 more`,
        `${plain} "question", "label"`,
        `${plain} "version", "score", "n"; that is close to scores, under another name: if it is that, --as scores reads it`,
      ],
    );
    const { counts } = await importPaths(store, [workspace.file("in/1.jsonl")], { as: "verl" });
    assert.equal(counts.rollouts, 1);
  });

  it("gives runs from different folders different names, and the same names the next time", async () => {
    const first = await put("one/dump/1.jsonl", sample());
    const second = await put("two/dump/1.jsonl", sample());
    await importPaths(store, [first]);
    await importPaths(store, [second]);
    await put("one/dump/2.jsonl", sample({ step: 2 }));
    await importPaths(store, [workspace.file("one"), workspace.file("two")]);
    assert.deepEqual(await tally(store, "run"), { dump: 2, "dump-2": 1 });
  });

  it("recognises the same item in two versions", async () => {
    await importPaths(store, [await put("a/1.jsonl", sample())], { version: "a" });
    await importPaths(store, [await put("b/1.jsonl", sample({ output: "5" }))], { version: "b" });
    assert.deepEqual(Object.values(await tally(store, "item")), [2]);
  });

  it("does not follow links inside a folder", async () => {
    await put("in/1.jsonl", sample());
    await symlink(workspace.file("in"), workspace.file("in/loop"));
    assert.equal((await importPaths(store, [workspace.file("in")])).counts.rollouts, 1);
  });

  it("stops when it is cancelled and continues from there next time", async () => {
    const path = await put("a.jsonl", sample().repeat(5000));
    const stop = new AbortController();
    await assert.rejects(
      importPaths(store, [path], {
        signal: stop.signal,
        as: {
          ...verl,
          convert: (record, at) => {
            if (at.line === 3000) stop.abort();
            return [
              {
                type: "rollout",
                verdict: { outcome: "pass" },
                turns: [],
                item: JSON.stringify(record).slice(0, 5),
              },
            ];
          },
        } as Adapter,
      }),
      (e: Error) => HarnessError.is(e, "cancelled"),
    );
    assert.equal((await importPaths(store, [path])).counts.rollouts > 0, true);
    assert.deepEqual(Object.values(await tally(store, "run")), [5000]);
  });

  it("reads a folder of many small files in few transactions", async function () {
    this.timeout(120_000);
    const folder = workspace.file("many");
    await mkdir(folder);
    for (let i = 0; i < 3000; i++)
      await writeFile(join(folder, `t${i}.json`), JSON.stringify({ log_history: [{ step: i, loss: 1 }] }));
    const many = (await import("../adapters/metrics/trainerState.ts")).trainerState;
    const { counts } = await importPaths(store, [folder], { as: many });
    assert.deepEqual([counts.metrics, counts.read], [3000, 3000]);
    assert.equal((await importPaths(store, [folder], { as: many })).counts.unchanged, 3000);
    const registered = (
      await readFile(workspace.database.replace(".duckdb", ".sources.jsonl"), "utf8")
    ).split("\n");
    assert.equal(registered.filter(Boolean).length, 3000);
  });
});
