import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, describe, it } from "mocha";
import { HarnessError } from "../../base/errors.ts";
import { ingestFile } from "../ingest/ingest.ts";
import { countNewestFirst, type LiveCount } from "./liveCount.ts";
import type { Store } from "../archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";

const rows = 30_000;

describe("the count of the newest rollouts first", () => {
  let workspace: Workspace;
  let store: Store;

  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    const lines = Array.from({ length: rows }, (_, i) =>
      toLine(
        makeRollout({
          id: `r-${i}`,
          reward: i % 10 === 0 ? null : i,
          turns: i % 3 === 0 ? [{ role: "assistant", text: i < rows / 2 ? "early" : "late" }] : [],
        }),
      ),
    );
    await writeFile(workspace.file("r.jsonl"), lines.join(""));
    await ingestFile(store, {
      path: workspace.file("r.jsonl"),
      kind: "rollouts",
      version: "v",
      run: "run-1",
    });
  });
  after(() => workspace.remove());

  async function all(sql: string, signal?: AbortSignal): Promise<LiveCount[]> {
    const found: LiveCount[] = [];
    const query = {
      scope: { split: "train" },
      where: { sql, params: [] },
      ...(signal === undefined ? {} : { signal }),
    } as const;
    for await (const count of countNewestFirst(store, query)) found.push(count);
    return found;
  }

  it("gives counts for the newest, then for all", async () => {
    const late = rows / 2 / 3;
    assert.deepEqual(await all("r.rid IN (SELECT rid FROM turns WHERE text = 'late')"), [
      { rollouts: 20_480, labelled: late, undecided: 0, done: false },
      { rollouts: rows, labelled: late, undecided: 0, done: true },
    ]);
  });

  it("counts a condition on narrow columns in one step, and says how often it has no value", async () => {
    assert.deepEqual(await all("r.reward >= 100"), [
      { rollouts: rows, labelled: (rows - 100) * 0.9, undecided: rows / 10, done: true },
    ]);
  });

  it("tries values derived from turns on the newest rollouts first as well", async () => {
    const counts = await all("f.n_turns > 0");
    assert.deepEqual(
      counts.map((c) => [c.rollouts, c.labelled, c.done]),
      [
        [20_480, 6826, false],
        [rows, rows / 3, true],
      ],
    );
  });

  it("stops between two parts when it is cancelled", async () => {
    const controller = new AbortController();
    const where = { sql: "r.rid IN (SELECT rid FROM turns WHERE text = 'late')", params: [] };
    const counts = countNewestFirst(store, { scope: { split: "train" }, where, signal: controller.signal });
    assert.equal((await counts.next()).done, false);
    controller.abort();
    await assert.rejects(counts.next(), (e) => HarnessError.is(e, "cancelled"));
  });

  it("reads a large archive in parts, and no part twice", async () => {
    // 3,000,000 numbers: most of their rollouts were forgotten.
    await store.write(async (connection) => {
      for (const table of ["rollouts", "turns"]) await connection.run(`UPDATE ${table} SET rid = rid * 100`);
    });
    const counts = await all("r.rid IN (SELECT rid FROM turns WHERE text = 'late')");
    assert.deepEqual(
      counts.map((c) => [c.rollouts, c.done]),
      [
        [205, false],
        [10_036, false],
        [19_866, false],
        [29_696, false],
        [rows, true],
      ],
    );
    assert.equal(counts.at(-1)?.labelled, rows / 2 / 3);
    assert.deepEqual(
      (await all("r.reward >= 100")).map((c) => c.done),
      [false, false, false, true],
    );
  });

  it("reports that an archive is empty", async () => {
    const other = await makeWorkspace();
    const empty = await other.open();
    const counts = countNewestFirst(empty, { scope: { split: "train" }, where: { sql: "TRUE", params: [] } });
    assert.equal((await counts.next()).done, true);
    await other.remove();
  });
});
