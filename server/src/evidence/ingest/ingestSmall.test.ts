import assert from "node:assert/strict";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { forget } from "./retention.ts";
import { ingestFile } from "./ingest.ts";
import { ingestSmall } from "./ingestSmall.ts";
import { rebuildStore, type Store } from "../archive/store.ts";

const line = (id: string, changes: Parameters<typeof makeRollout>[0] = {}): string =>
  toLine(makeRollout({ id, ...changes }));

/** Files of every kind that the two ways have to take alike. */
const contents: Readonly<Record<string, string>> = {
  "a.jsonl": line("a1") + line("a2", { run: "run-2", outcome: "fail" }),
  "b.jsonl": line("b1", { run: "run-3", turns: [] }),
  "bad.jsonl": `${line("c1")}{"id": 7}\nnot json\n\n${line("c2")}`,
  "torn.jsonl": `${line("d1")}{"id": "torn`,
  "windows.jsonl": line("e1").replace("\n", "\r\n"),
  "mark.jsonl": `\ufeff${line("f1")}`,
  "blank.jsonl": "\n\n",
  "empty.jsonl": "",
  "unended.jsonl": line("g1").trimEnd(),
  "large.jsonl": Array.from({ length: 200 }, (_, i) => line(`large-${i}`)).join(""),
};

describe("small files in one transaction", () => {
  const made: Workspace[] = [];
  afterEach(async () => {
    for (const workspace of made.splice(0)) await workspace.remove();
  });

  async function open(files: Readonly<Record<string, string | Buffer>> = contents) {
    const workspace = await makeWorkspace();
    made.push(workspace);
    const paths: string[] = [];
    for (const [name, text] of Object.entries(files)) {
      const path = workspace.file(`in/${name}`);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      paths.push(path);
    }
    return { workspace, store: await workspace.open(), files: paths.map((path) => ({ path, version: "v" })) };
  }
  /** What the archive holds, by the names of the files. */
  async function held(store: Store): Promise<unknown> {
    const rows = (sql: string) => store.query({ sql, params: [] });
    return [
      await rows(
        `SELECT s.path, r.* EXCLUDE (rid, source), (SELECT count(*) FROM turns t WHERE t.rid = r.rid)::INT AS turns
         FROM rollouts r JOIN sources s USING (source) ORDER BY s.path, line`,
      ),
      await rows('SELECT path, line, "offset", reason, raw FROM quarantine ORDER BY path, line'),
      await rows("SELECT * EXCLUDE (source) FROM sources WHERE consumed > 0 ORDER BY path"),
      await rows(
        "SELECT count(DISTINCT rid)::INT AS rids, count(DISTINCT source)::INT AS sources FROM rollouts",
      ),
    ];
  }

  it("leave in the archive what they leave one by one, and are not read again", async () => {
    const [together, alone] = [await open(), await open()];
    const reports = await ingestSmall(together.store, together.files);
    const left = together.files
      .filter(({ path }) => !reports.has(path))
      .map(({ path }) => path.split("/").at(-1));
    assert.deepEqual(left, ["empty.jsonl", "unended.jsonl", "large.jsonl"]);
    for (const file of together.files)
      if (!reports.has(file.path)) await ingestFile(together.store, { ...file, kind: "rollouts" });
    for (const file of alone.files) {
      const report = await ingestFile(alone.store, { ...file, kind: "rollouts" });
      const other = reports.get(file.path.replace(alone.workspace.root, together.workspace.root));
      if (other !== undefined) assert.deepEqual({ ...other, path: file.path }, report);
    }
    assert.deepEqual(await held(together.store), await held(alone.store));
    const again = await ingestSmall(together.store, together.files);
    assert.ok(again.has(together.files[0]?.path ?? ""));
    for (const report of again.values()) assert.deepEqual([report.rows, report.bytes], [0, 0]);
    for (const file of together.files)
      assert.equal((await ingestFile(together.store, { ...file, kind: "rollouts" })).bytes, 0);
    assert.deepEqual(await held(together.store), await held(alone.store));
    const [first] = together.files;
    assert.ok(first !== undefined);
    await appendFile(first.path, line("a3"));
    for (const file of [first, { ...first, version: "w" }])
      assert.equal((await ingestSmall(together.store, [file])).size, 0, "it grew, or is another version's");
  });

  it("are read on where they end, and come back when the archive is rebuilt", async () => {
    const { workspace, store, files } = await open();
    await ingestSmall(store, files);
    const [first] = files;
    assert.ok(first !== undefined);
    await appendFile(first.path, line("a3"));
    const { rows, offset } = await ingestFile(store, { ...first, kind: "rollouts", final: true });
    assert.deepEqual([rows, offset > 0], [1, true]);
    const before = await held(store);
    await store.close();
    const rebuilt = await rebuildStore({ path: workspace.database, evidenceRoot: workspace.root });
    assert.deepEqual(await held(rebuilt.store), before);
    await rebuilt.store.close();
  });

  it("with an id that its run already has are left to be read one by one, which names it", async () => {
    const { store, files } = await open({
      "a.jsonl": line("same"),
      "b.jsonl": line("same"),
      "c.jsonl": line("other"),
    });
    assert.equal((await ingestSmall(store, files)).size, 0);
    const reports = [];
    for (const file of files) reports.push(await ingestFile(store, { ...file, kind: "rollouts" }));
    assert.deepEqual(
      reports.map(({ rows, bad }) => [rows, bad]),
      [
        [1, 0],
        [0, 1],
        [1, 0],
      ],
    );
  });

  it("that are in the archive, were forgotten, are named twice or cannot be read are left", async () => {
    const { store, files, workspace } = await open({
      "a.jsonl": line("a1", { run: "gone" }),
      "b.jsonl": line("b1"),
    });
    const [a, b] = files;
    assert.ok(a !== undefined && b !== undefined);
    await ingestSmall(store, [a]);
    await forget(store, { run: "gone" }, { deleteFiles: false });
    const missing = { path: workspace.file("missing.jsonl"), version: "v" };
    const reports = await ingestSmall(store, [a, b, b, missing, { path: workspace.root, version: "v" }]);
    assert.deepEqual([...reports.keys()], [b.path]);
  });

  it("are all of them in after many groups, each once", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1200 }, (_, i) => [`${i}.jsonl`, line(`r-${i}`, { run: `run-${i % 700}` })]),
    );
    const { store, files } = await open(many);
    const done: number[] = [];
    assert.equal((await ingestSmall(store, files, { onFiles: (n) => done.push(n) })).size, 1200);
    assert.deepEqual(done, [512, 1024, 1200]);
    const [row] = await store.query({
      sql: "SELECT count(*)::INT AS n, count(DISTINCT rid)::INT AS rids, count(DISTINCT source)::INT AS files, max(rid)::INT AS last FROM rollouts",
      params: [],
    });
    assert.deepEqual(row, { n: 1200, rids: 1200, files: 1200, last: 1199 });
  });

  it("are given up between two groups when nobody wants them any more", async () => {
    const { store, files } = await open();
    await assert.rejects(ingestSmall(store, files, { signal: AbortSignal.abort() }), (e) =>
      HarnessError.is(e, "cancelled"),
    );
  });
});
