import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { allRollouts, importPaths } from "../../../../../test/support/evidence/import.ts";
import { loadDuckDb } from "../../../base/loadDuckDb.ts";
import type { Store } from "../../archive/store.ts";
import { groupSignals } from "../../queries/signals.ts";
import { makeWorkspace, type Workspace } from "../../../../../test/support/evidence/evidence.ts";
import { assertCoverage } from "../../../../../test/support/adapters/adapter.ts";
import { fuzzAdapter } from "../../../../../test/support/adapters/fuzzAdapter.ts";
import { foreignFile } from "../../importing/foreignFile.ts";
import { parquetRows } from "../parts/parquetRows.ts";
import { trl } from "./trl.ts";

describe("TRL", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function parquet(path: string, select: string): Promise<string> {
    const file = workspace.file(path);
    await mkdir(dirname(file), { recursive: true });
    const instance = await loadDuckDb().DuckDBInstance.create(":memory:", { threads: "1" });
    const connection = await instance.connect();
    await connection.run(`COPY (${select}) TO '${file}' (FORMAT parquet)`);
    connection.closeSync();
    instance.closeSync();
    return file;
  }

  const completions = `SELECT 20::BIGINT AS step, * FROM (VALUES
    ('user' || chr(10) || '2+2?' || chr(10) || 'assistant' || chr(10), 'It is 4.', 1.0::DOUBLE, 'NaN'::DOUBLE, 'a', 3::BIGINT, 0.5::DOUBLE),
    ('user' || chr(10) || '2+2?' || chr(10) || 'assistant' || chr(10), '5', 0.0, 0.25, 'b', 4, -0.5),
    ('<|im_start|>user' || chr(10) || '3+3?<|im_end|>', '', NULL, NULL, NULL, NULL, 'NaN'::DOUBLE)
  ) t(prompt, completion, accuracy_reward, format_reward, note, length, advantage)`;

  it("reads every column of floats except advantage as a component, and adds nothing up", async () => {
    await parquet("my-run/completions/completions_00020.parquet", completions);
    await importPaths(store, [workspace.file("my-run")]);
    const all = await allRollouts(store);
    assert.deepEqual(
      all.map((r) => [r.run, r.id, r.split, r.step, r.sample, r.reward, r.components, r.extra]),
      [
        [
          "my-run",
          "completions.completions_00020-1",
          "train",
          20,
          0,
          null,
          { accuracy_reward: 1 },
          { advantage: 0.5, note: "a", length: 3, non_finite: 1 },
        ],
        [
          "my-run",
          "completions.completions_00020-2",
          "train",
          20,
          1,
          null,
          { accuracy_reward: 0, format_reward: 0.25 },
          { advantage: -0.5, note: "b", length: 4 },
        ],
        ["my-run", "completions.completions_00020-3", "train", 20, 0, null, {}, { non_finite: 1 }],
      ],
    );
    assert.deepEqual(all[0]?.turns, [
      { role: "user", text: "2+2?" },
      { role: "assistant", text: "It is 4." },
    ]);
    assert.deepEqual(all[2]?.turns, [
      { role: "user", text: "3+3?" },
      { role: "assistant", text: "" },
    ]);
    assert.equal(all[0].item, all[1]?.item);
    assert.deepEqual(
      all.map((r) => r.unknown_reason),
      [
        "TRL logs reward functions, not a verdict",
        "TRL logs reward functions, not a verdict",
        "every reward function gave null or NaN",
      ],
    );
    assertCoverage(trl, all, ["reward", "turns.tool", "turns.args", "turns.ok"]);
  });

  it("takes the only reward function for the reward, so that dead groups are found", async () => {
    const file = await parquet(
      "run/completions/completions_00003.parquet",
      `SELECT 3::BIGINT AS step, * FROM (VALUES
         ('a', 'x', 1.0::DOUBLE, 0.0::DOUBLE), ('a', 'y', 1.0, 0.0), ('b', 'x', 0.0, -0.7), ('b', 'y', 1.0, 0.7), ('c', 'z', 'NaN'::DOUBLE, 0.0)
       ) t(prompt, completion, accuracy_reward, advantage)`,
    );
    await importPaths(store, [file]);
    assert.deepEqual(
      (await allRollouts(store)).map((r) => r.reward),
      [1, 1, 0, 1, null],
    );
    const { groups, dead } = await groupSignals(store, { split: "train", version: "run" });
    assert.deepEqual([groups, dead], [2, 1]);
  });

  it("reads prompts and completions that are lists of messages", async () => {
    const file = await parquet(
      "completions_00001.parquet",
      `SELECT 1::BIGINT AS step, [{'role': 'user', 'content': 'hi'}] AS prompt,
              [{'role': 'assistant', 'content': 'ho'}] AS completion, 1.0::DOUBLE AS f, 0.0::DOUBLE AS advantage`,
    );
    await importPaths(store, [file]);
    assert.deepEqual((await allRollouts(store))[0]?.turns, [
      { role: "user", text: "hi" },
      { role: "assistant", text: "ho" },
    ]);
  });

  it("does not claim other tables, and loses only the damaged file", async () => {
    await parquet("other.parquet", "SELECT 1::BIGINT AS step, 'a' AS prompt, 'b' AS completion");
    const whole = await readFile(await parquet("good.parquet", completions));
    await writeFile(workspace.file("torn.parquet"), whole.subarray(0, whole.length - 20));
    const { counts, skipped } = await importPaths(
      store,
      ["other", "torn", "good"].map((name) => workspace.file(`${name}.parquet`)),
    );
    assert.deepEqual([counts.rollouts, skipped.unrecognisedCount], [3, 2]);
    assert.match(skipped.unrecognised[1]?.reason ?? "", /torn\.parquet .*cut off/);
    const numbers = await parquet(
      "numbers.parquet",
      "SELECT 1::BIGINT AS step, 1 AS prompt, 2 AS completion, 0.5::DOUBLE AS advantage",
    );
    assert.deepEqual(
      (await importPaths(store, [numbers])).counts.problems.map((p) => p.reason),
      ["prompt and completion must be texts or lists of messages"],
    );
  });

  it("opens a file once, to recognise it and to read it: a run writes one in each step", async () => {
    await parquet("my-run/completions/completions_00020.parquet", completions);
    const { DuckDBInstance } = loadDuckDb();
    const create = DuckDBInstance.create.bind(DuckDBInstance);
    let opened = 0;
    DuckDBInstance.create = (...given) => (opened++, create(...given));
    try {
      assert.equal((await importPaths(store, [workspace.file("my-run")])).counts.rollouts, 3);
    } finally {
      DuckDBInstance.create = create;
    }
    assert.equal(opened, 1);
  });

  it("reads all rows of a file that is longer than a look", async () => {
    const many = await parquet(
      "many.parquet",
      "SELECT 1::BIGINT AS step, 'q' AS prompt, 'a' || i AS completion, 0.5::DOUBLE AS right, 0.5::DOUBLE AS advantage FROM range(2100) t(i)",
    );
    const file = await foreignFile(many);
    assert.equal((await file.parquet()).rows.length, 2048);
    const completions: unknown[] = [];
    for await (const { completion } of parquetRows(file)) completions.push(completion);
    assert.deepEqual(
      completions,
      Array.from({ length: 2100 }, (_, i) => `a${i}`),
    );
  });

  it("gives rollouts or refusals for any bytes", async function () {
    this.timeout(120_000);
    const bytes = await readFile(await parquet("seed.parquet", completions));
    await fuzzAdapter(trl, [{ name: "completions_00001.parquet", bytes }], 60);
  });
});
