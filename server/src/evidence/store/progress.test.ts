import assert from "node:assert/strict";
import { appendFile, readFile, truncate } from "node:fs/promises";
import { HarnessError } from "../../base/errors.ts";
import { ingestFile, type IngestOptions, type IngestReport } from "../ingest/ingest.ts";
import { quarantinedLines } from "./quarantine.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import type { Store } from "../archive/store.ts";

describe("the progress through a growing file", function () {
  this.timeout(60_000); // real files on a machine that may be busy
  let workspace: Workspace;
  let store: Store;
  let path: string;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    path = workspace.file("rollouts.jsonl");
  });
  afterEach(() => workspace.remove());

  const ingest = (options: Partial<IngestOptions> = {}): Promise<IngestReport> =>
    ingestFile(store, { path, kind: "rollouts", version: "v1", run: "run-1", ...options });
  const grow = async (text: string): Promise<IngestReport> => {
    await appendFile(path, text);
    return ingest();
  };
  const reopen = async (): Promise<void> => {
    await store.close();
    store = await workspace.open();
  };
  const saved = async (): Promise<number> => {
    const [row] = await store.query({ sql: "SELECT consumed FROM sources", params: [] });
    return Number(row?.["consumed"]);
  };
  const line = (i: number): string => toLine(makeRollout({ id: `r-${i}` }));
  const bytes = async (): Promise<number> => (await readFile(path)).length;

  it("is worked out again from the stored lines", async () => {
    const first = await grow(line(0));
    for (let i = 1; i < 5; i++) await grow(line(i));
    assert.equal(await saved(), first.offset, "only the first line paid for the row of the file");
    await reopen();
    const nothing = await ingest();
    assert.deepEqual([nothing.rows, nothing.bytes, nothing.offset], [0, 0, await bytes()]);
    const one = await grow(line(5));
    assert.deepEqual([one.rows, one.bad, one.offset], [1, 0, await bytes()]);
  });

  it("is saved again after a megabyte and when a file ends", async () => {
    await grow(line(0));
    await grow(line(1));
    const text = "x".repeat(1024 * 1024);
    await grow(toLine(makeRollout({ id: "long", turns: [{ role: "assistant", text }] })));
    assert.equal(await saved(), await bytes());
    await grow(line(2));
    await appendFile(path, '{"torn":');
    const last = await ingest({ final: true });
    assert.deepEqual([last.bad, await saved()], [1, await bytes()]);
    await reopen();
    const rest = await grow(`1}\n${line(3)}`);
    assert.deepEqual(
      [rest.rows, rest.bad],
      [1, 1],
      "what follows a torn line is a line of its own, as before",
    );
  });

  it("counts refused lines, and reads empty lines once more", async () => {
    await grow(line(0));
    await grow(`not json\n${line(1)}`);
    await grow("not json either\n");
    await grow("\n\n");
    await reopen();
    const again = await grow(line(2));
    assert.deepEqual([again.rows, again.bad], [1, 0]);
    const refused = await quarantinedLines(store);
    assert.deepEqual(
      refused.map((row) => row.line),
      [2, 4],
    );
    const [row] = await store.query({ sql: "SELECT max(line) AS line FROM rollouts", params: [] });
    assert.equal(Number(row?.["line"]), 7);
  });

  it("is worked out from metrics too", async () => {
    const metrics = { kind: "metrics" } as const;
    for (let step = 0; step < 3; step++) {
      await appendFile(path, `${JSON.stringify({ step, loss: 1 / (step + 1) })}\n`);
      await ingest(metrics);
    }
    await reopen();
    assert.equal((await ingest(metrics)).rows, 0);
  });

  it("reveals that a file lost stored lines, even those after the saved place", async () => {
    await grow(line(0));
    const { offset } = await grow(line(1));
    await grow(line(2));
    await truncate(path, offset);
    await assert.rejects(
      ingest(),
      (e) => HarnessError.is(e, "badInput") && /was truncated/.test(e.message),
      "in the session that read them",
    );
    await reopen();
    await assert.rejects(
      ingest(),
      (e) => HarnessError.is(e, "badInput") && /was truncated: its line 3 is already/.test(e.message),
      "in the next one",
    );
  });
});
