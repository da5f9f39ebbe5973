import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { seededRandom } from "../../base/random.ts";
import { archiveStatus } from "./archiveStatus.ts";
import { compactionPoints, compactStore } from "./compact.ts";
import { ensureFeatures } from "./derived.ts";
import { ingestFile } from "../ingest/ingest.ts";
import { writeLabels } from "../labels/labels.ts";
import { forget } from "../ingest/retention.ts";
import type { Row, Store } from "../archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { runUntilKilled } from "../../../../test/support/evidence/kill.ts";

describe("compaction and rebuild", function () {
  this.timeout(120_000); // real files and processes on a machine that may be busy
  let workspace: Workspace;
  beforeEach(async () => {
    workspace = await makeWorkspace();
  });
  afterEach(() => workspace.remove());

  const perVersion = 1500;
  /** Versions a, b and c with text that does not compress away, labels and features. */
  const fill = async (): Promise<Store> => {
    const store = await workspace.open();
    const random = seededRandom(5);
    for (const version of ["a", "b", "c"]) {
      const path = workspace.file(`${version}.jsonl`);
      const lines = Array.from({ length: perVersion }, (_, i) => {
        const text = Array.from({ length: 150 }, () => random().toString(36)).join("");
        const turns = [{ role: "user", text }, ...makeRollout().turns];
        return toLine(makeRollout({ id: `r-${i}`, run: version, turns }));
      });
      await writeFile(path, lines.join("") + "not JSON\n");
      await ingestFile(store, { path, kind: "rollouts", version, run: version });
      await writeLabels(store, {
        label: "x",
        revision: "1",
        labels: [{ run: version, id: "r-7", turns: [1] }],
      });
    }
    await ensureFeatures(store);
    return store;
  };
  const options = () => ({
    path: workspace.database,
    evidenceRoot: workspace.root,
    threads: 1,
    memoryLimitMb: 512,
  });
  /** A digest of every table, independent of where its rows lie. */
  const digest = async (store: Store): Promise<Row[]> => {
    const parts = [
      "sources",
      "rollouts",
      "turns",
      "label_keys",
      "labelled",
      "labels",
      "metrics",
      "quarantine",
      "features",
    ].map(
      (table) =>
        `SELECT '${table}' AS name, count(*) AS n, bit_xor(hash(t::VARCHAR)) AS digest FROM ${table} t`,
    );
    return store.query({ sql: `${parts.join(" UNION ALL ")} ORDER BY name`, params: [] });
  };
  const leftovers = async (): Promise<string[]> =>
    (await readdir(dirname(workspace.database))).filter((name) => /compact/.test(name));

  it("free the space of forgotten rows, and keep every row in the order of arrival", async () => {
    let store = await fill();
    await forget(store, { version: "b" });
    const before = await digest(store);
    await assert.rejects(compactStore(options()), (e) => HarnessError.is(e, "storeBusy"));
    await store.close();
    const bytes = await compactStore(options());
    assert.ok(bytes.after < 0.8 * bytes.before, `${bytes.after} of ${bytes.before}`);
    store = await workspace.open();
    assert.deepEqual(await digest(store), before);
    const disorder = (table: string, order: string): Promise<Row[]> =>
      store.query({
        sql: `SELECT * FROM (SELECT ${order} < lag(${order}) OVER (ORDER BY rowid) AS back FROM ${table}) WHERE back`,
        params: [],
      });
    assert.deepEqual(await disorder("rollouts", "rid"), []);
    assert.deepEqual(await disorder("turns", "(rid, idx)"), []);
    const status = await archiveStatus(store);
    assert.ok(status.archiveBytes <= bytes.after + 4096 && status.reclaimableBytes < 0.2 * bytes.after);
    const path = workspace.file("c.jsonl");
    const again = await ingestFile(store, { path, kind: "rollouts", version: "c", run: "c" });
    assert.deepEqual([again.rows, again.bytes], [0, 0]);
    assert.deepEqual(await leftovers(), []);
  });

  it("refuse when the disk is too full, and change nothing", async () => {
    let store = await fill();
    const before = await digest(store);
    await store.close();
    await assert.rejects(
      compactStore(options(), { freeBytes: () => Promise.resolve(1_000_000) }),
      (e) => HarnessError.is(e, "diskFull") && /needs \d+ MB .* but only 1 MB are free/.test(e.message),
    );
    store = await workspace.open();
    assert.deepEqual(await digest(store), before);
  });

  for (const point of compactionPoints)
    it(`leave a whole archive when the process is killed once it has ${point}`, async () => {
      let store = await fill();
      await forget(store, { version: "b" });
      const before = await digest(store);
      await store.close();
      const args = ["compact", workspace.database, workspace.root, point];
      assert.deepEqual(await runUntilKilled("storeChild.ts", args), { opened: true, done: false });
      store = await workspace.open();
      assert.deepEqual(await digest(store), before);
      assert.deepEqual(await leftovers(), []);
      await store.close();
      await compactStore(options());
      store = await workspace.open();
      assert.deepEqual(await digest(store), before);
    });

  it("continue a rebuild that was killed", async () => {
    let store = await fill();
    // Labels are not in the files.
    await store.write((c) => c.run("DELETE FROM labelled; DELETE FROM label_keys"));
    const before = await digest(store);
    await store.close();
    const random = seededRandom(11);
    const args = ["rebuild", workspace.database, workspace.root];
    // A fast machine ends a rebuild sooner: the span halves each time until the end of the program comes first.
    for (let killed = 0, span = 700; killed < 3;)
      if ((await runUntilKilled("storeChild.ts", args, random() * span)).done) span /= 2;
      else killed++;
    store = await workspace.open();
    await ensureFeatures(store);
    assert.deepEqual(await digest(store), before);
  });
});
