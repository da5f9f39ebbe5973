import assert from "node:assert/strict";
import type { DuckDBConnection } from "@duckdb/node-api";
import { makeWorkspace, type Workspace } from "../../../../test/support/evidence/evidence.ts";
import { openStore } from "../archive/store.ts";

describe("the threads of an archive", () => {
  let workspace: Workspace;
  beforeEach(async () => (workspace = await makeWorkspace()));
  afterEach(() => workspace.remove());

  it("are one while it is small and while it appends, and otherwise all of them, also when appending fails", async () => {
    const open = () => openStore({ path: workspace.database, evidenceRoot: workspace.root, threads: 3 });
    let store = await open();
    const sql = "SELECT current_setting('threads')::INTEGER AS threads";
    const threads = async (): Promise<unknown> => (await store.query({ sql, params: [] }))[0]?.["threads"];
    const add = (rows: number) => async (c: DuckDBConnection) => {
      await c.run(
        `INSERT INTO turns SELECT i, 0, 'user', '', NULL, NULL, NULL, 1, 1 FROM range(${rows}) t(i)`,
      );
      return (await c.runAndReadAll(sql)).getRows()[0]?.[0];
    };
    assert.equal(await threads(), 1);
    assert.equal(await store.append(add(65_000)), 1);
    assert.equal(await threads(), 1, "four row groups of turns are few");
    // Many small writes make it large too.
    for (let i = 0; i < 16; i++) await store.write(add(100));
    assert.equal(await threads(), 3);
    assert.equal(await store.append(add(1)), 1);
    assert.equal(await threads(), 3);
    await store.close();
    store = await open();
    assert.equal(await threads(), 3, "a large archive has them from the start");
    await assert.rejects(
      store.append(async (c) => {
        await c.run("INSERT INTO meta VALUES ('a', 'b')");
        throw new Error("stop");
      }),
      /stop/,
    );
    assert.equal(await threads(), 3);
    assert.deepEqual(await store.query({ sql: "SELECT key FROM meta WHERE key = 'a'", params: [] }), []);
    await store.close();
    await assert.rejects(
      store.append(() => Promise.resolve()),
      /is closed/,
    );
  });
});
