import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { ingestFile } from "../ingest/ingest.ts";
import { compactStore } from "../store/compact.ts";
import { registrationsPath } from "../store/registrations.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { openStore, rebuildStore } from "./store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";

const refused =
  (reason: string, message: RegExp) =>
  (e: unknown): boolean =>
    HarnessError.is(e) && e.reason === reason && message.test(e.message);

describe("archive", function () {
  this.timeout(60_000); // real files and processes on a machine that may be busy
  let workspace: Workspace;
  beforeEach(async () => {
    workspace = await makeWorkspace();
  });
  afterEach(() => workspace.remove());

  const fill = async (): Promise<void> => {
    const store = await workspace.open();
    for (const run of ["a", "b"]) {
      const path = workspace.file(`${run}.jsonl`);
      await writeFile(path, toLine(makeRollout({ run })) + "torn\n");
      await ingestFile(store, { path, kind: "rollouts", version: `v-${run}`, run });
    }
    await store.close();
  };
  const ids = `SELECT run, version, id, (SELECT count(*) FROM turns) AS turns FROM rollouts ORDER BY run`;
  const expected = ["a", "b"].map((run) => ({ run, version: `v-${run}`, id: "r-1", turns: 6n }));

  it("is empty when new, and keeps what was written", async () => {
    await fill();
    const store = await workspace.open();
    assert.deepEqual(await store.query({ sql: ids, params: [] }), expected);
  });

  it("belongs to one engine; a second process learns which one has it", async () => {
    await fill();
    const holder = spawn(
      process.execPath,
      ["--import", "tsx", "--input-type=module", "-e", holdScript, workspace.database, workspace.root],
      { stdio: ["pipe", "pipe", "inherit"] },
    );
    await once(holder.stdout, "data");
    const busy = refused(
      "storeBusy",
      new RegExp(`^Another engine \\(pid ${holder.pid ?? 0}\\) owns this workspace's archive`),
    );
    await assert.rejects(workspace.open(), busy);
    await assert.rejects(rebuildStore({ path: workspace.database, evidenceRoot: workspace.root }), busy);
    const closed = once(holder, "close");
    holder.kill("SIGKILL");
    await closed;
    const store = await workspace.open();
    assert.deepEqual(await store.query({ sql: ids, params: [] }), expected);
  });

  it("can be opened only once in a process", async () => {
    await workspace.open();
    await assert.rejects(
      workspace.open(),
      refused("storeBusy", new RegExp(`pid ${process.pid}, this process`)),
    );
  });

  it("is rebuilt when the file is not an archive, says so, and keeps what lay there", async () => {
    await fill();
    const said: string[] = [];
    await writeFile(
      workspace.database,
      "this is not a database, but it is long enough to be looked at ".repeat(99),
    );
    await rm(workspace.file("a.jsonl"));
    const store = await openStore({
      path: workspace.database,
      evidenceRoot: workspace.root,
      onReplaced: (message) => said.push(message),
    });
    const left = [{ ...expected[1], turns: 3n }];
    assert.deepEqual(await store.query({ sql: ids, params: [] }), left);
    await store.close();
    assert.equal(said.length, 1);
    assert.match(
      said[0] ?? "",
      /^The archive \S+ was damaged, so EvoTrainer rebuilt it from the files of the runs: 1 record\. .* Left out: a\.jsonl \(There is no file/,
    );
    assert.match(await readFile(`${workspace.database}.damaged`, "utf8"), /^this is not a database/);
    const again = await workspace.open();
    assert.deepEqual(await again.query({ sql: ids, params: [] }), left);
  });

  it("is rebuilt by the next who opens it when a query finds it damaged", async () => {
    const path = workspace.file("many.jsonl");
    const text = Array.from({ length: 4000 }, (_, i) => toLine(makeRollout({ id: `r-${i}`, run: "many" })));
    await writeFile(path, text.join(""));
    const first = await workspace.open();
    await ingestFile(first, { path, kind: "rollouts", version: "v", run: "many" });
    await first.close();
    const whole = await readFile(workspace.database);
    const read = { sql: "SELECT count(DISTINCT id) AS n FROM rollouts", params: [] };
    let found = 0;
    // Some block holds ids, and is not read before somebody asks for them.
    for (let at = 12_288; at < whole.length && found === 0; at += 262_144) {
      const bytes = Buffer.from(whole);
      bytes.fill(0x5a, at + 64, at + 4096);
      await writeFile(workspace.database, bytes);
      const said: string[] = [];
      const open = () =>
        openStore({
          path: workspace.database,
          evidenceRoot: workspace.root,
          threads: 1,
          onReplaced: (m) => said.push(m),
        });
      const store = await open();
      const answer = await store.query(read).catch((e: unknown) => e);
      await store.close().catch(() => undefined);
      if (said.length > 0 || !HarnessError.is(answer, "storeFailed")) continue;
      found++;
      assert.match(answer.message, /is damaged; run again: EvoTrainer rebuilds it/);
      const next = await open();
      assert.deepEqual(await next.query(read), [{ n: 4000n }]);
      assert.equal(said.length, 1);
      await next.close();
    }
    assert.equal(found, 1, "a block was found whose damage only a query notices");
  });

  it("is only for its user, even if it was made earlier", async function () {
    if (process.platform === "win32") return skipBecause(this, "Windows has no such modes");
    const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
    await fill();
    assert.equal(await modeOf(dirname(workspace.database)), "700");
    for (const path of [workspace.database, registrationsPath(workspace.database)])
      assert.equal(await modeOf(path), "600", path);
    await chmod(workspace.database, 0o644);
    await (await workspace.open()).close();
    assert.equal(await modeOf(workspace.database), "600");
    await compactStore({ path: workspace.database, evidenceRoot: workspace.root });
    assert.equal(await modeOf(workspace.database), "600");
  });

  it("notices damage inside the file", async () => {
    await fill();
    const bytes = await readFile(workspace.database);
    bytes.fill(0x5a, 4096, bytes.length);
    await writeFile(workspace.database, bytes);
    const { store, reports, missing } = await rebuildStore({
      path: workspace.database,
      evidenceRoot: workspace.root,
    });
    assert.deepEqual(
      [reports.map((r) => [r.rows, r.bad]), missing],
      [
        [
          [1, 1],
          [1, 1],
        ],
        [],
      ],
    );
    assert.deepEqual(await store.query({ sql: ids, params: [] }), expected);
    await store.close();
  });

  describe("that another release made", () => {
    let said: string[] = [];
    beforeEach(async () => {
      said = [];
      await fill();
    });
    const outdated = async (): Promise<void> => {
      const old = await workspace.open();
      await old.write((c) => c.run("UPDATE meta SET value = '0'"));
      await old.close();
    };
    const opened = () =>
      openStore({
        path: workspace.database,
        evidenceRoot: workspace.root,
        onReplaced: (message) => said.push(message),
      });
    const besideIt = (suffix: string): Promise<boolean> => exists(`${workspace.database}.${suffix}`);

    it("is rebuilt with a word, and is not kept, because all is in the files", async () => {
      await outdated();
      const store = await opened();
      assert.deepEqual(await store.query({ sql: ids, params: [] }), expected);
      await store.close();
      assert.equal(said.length, 1);
      assert.match(
        said[0] ?? "",
        /^The archive \S+ was made by another release, so EvoTrainer rebuilt it from the files of the runs: 2 records\. [^.]+\.$/,
      );
      assert.equal(await besideIt("outdated"), false);
    });

    it("is put aside where files are gone from which it was made, each time", async () => {
      await outdated();
      await rm(workspace.file("b.jsonl"));
      const store = await opened();
      assert.deepEqual(await store.query({ sql: ids, params: [] }), [{ ...expected[0], turns: 3n }]);
      await store.close();
      assert.match(
        said[0] ?? "",
        /\.outdated, which the release that made it can read\. Left out: b\.jsonl \(/,
      );
      const first = await readFile(`${workspace.database}.outdated`);
      await outdated();
      await (await opened()).close();
      assert.deepEqual(await readFile(`${workspace.database}.outdated`), first, "it alone has what is gone");
      assert.ok(await besideIt("outdated-2"));
    });
  });

  it("reads the list of registered files past a torn line", async () => {
    await fill();
    const list = registrationsPath(workspace.database);
    await writeFile(list, `{"path":"to${await readFile(list, "utf8")}{"path":"`);
    await rm(workspace.database);
    const store = await workspace.open();
    assert.deepEqual(await store.query({ sql: ids, params: [] }), expected);
  });

  it("rolls back a write that throws, and continues", async () => {
    const store = await workspace.open();
    await assert.rejects(
      store.write(async (c) => {
        await c.run("INSERT INTO meta VALUES ('a', 'b')");
        throw new Error("stop");
      }),
      /stop/,
    );
    const read = () => store.query({ sql: "SELECT key FROM meta WHERE key = 'a'", params: [] });
    assert.deepEqual(await read(), []);
    await store.write((c) => c.run("INSERT INTO meta VALUES ('a', 'b')"));
    assert.equal((await read()).length, 1);
  });

  it("keeps nothing of the preparation of a write that throws", async () => {
    const store = await workspace.open();
    const prepare = async (c: { run: (sql: string) => Promise<unknown> }): Promise<void> => {
      await c.run("CREATE TEMP TABLE prepared AS SELECT 'k' AS key");
    };
    const moved = "INSERT INTO meta SELECT key, 'v' FROM prepared";
    await assert.rejects(
      store.writePrepared(prepare, async (c) => {
        await c.run(moved);
        throw new Error("stop");
      }),
      /stop/,
    );
    const read = () => store.query({ sql: "SELECT value FROM meta WHERE key = 'k'", params: [] });
    assert.deepEqual(await read(), []);
    await store.writePrepared(prepare, async (c) => {
      await c.run(moved);
      await c.run("DROP TABLE prepared");
    });
    assert.deepEqual(await read(), [{ value: "v" }]);
  });

  it("cannot read or write other files, nor change settings other than its size", async () => {
    const store = await workspace.open();
    const other = workspace.file("other.csv");
    await writeFile(other, "a\n1\n");
    for (const sql of [
      `SELECT * FROM read_text('${other}')`,
      `SELECT * FROM '${other}'`,
      `COPY rollouts TO '${other}'`,
      `ATTACH '${workspace.file("x.db")}'`,
      "SET enable_external_access = true",
      "SET checkpoint_threshold = '1GB'",
      "INSTALL httpfs",
    ])
      await assert.rejects(
        store.query({ sql, params: [] }),
        /disabled by configuration|has been locked|Cannot/,
      );
  });

  it("accepts every kind of parameter", async () => {
    const store = await workspace.open();
    const [row] = await store.query({
      sql: "SELECT ? AS text, ? + 0.5 AS number, ? + 1 AS whole, ? AS flag, ? AS nothing, len(?) AS texts, ?[2] AS wholes",
      params: ["it's ?", 1, 2n ** 53n, true, null, ["a", "b"], [1n, 2n]],
    });
    assert.deepEqual(row, {
      text: "it's ?",
      number: 1.5,
      whole: 2n ** 53n + 1n,
      flag: true,
      nothing: null,
      texts: 2n,
      wholes: 2n,
    });
  });

  it("reports that the folder cannot be made", async () => {
    const path = workspace.file("file");
    await writeFile(path, "");
    await assert.rejects(
      openStore({ path: `${path}/archive.duckdb`, evidenceRoot: workspace.root }),
      refused("unsupportedFileSystem", /move the workspace to a folder that you may write to/),
    );
  });

  it("reports that the folder is read-only", async function () {
    const folder = workspace.file("mounted");
    if (!mountTmpfs(folder, "1m")) skipBecause(this, "this system does not let the test mount a file system");
    try {
      assert.equal(spawnSync("mount", ["-o", "remount,ro", folder]).status, 0);
      await assert.rejects(
        openStore({ path: `${folder}/archive.duckdb`, evidenceRoot: workspace.root }),
        refused("unsupportedFileSystem", /cannot be written or locked here/),
      );
    } finally {
      spawnSync("umount", [folder]);
    }
  });

  it("reports that the disk is full, and continues when there is space again", async function () {
    const folder = workspace.file("mounted");
    if (!mountTmpfs(folder, "3m")) skipBecause(this, "this system does not let the test mount a file system");
    try {
      const path = workspace.file("r.jsonl");
      let seed = 1;
      const noise = (): string =>
        Array.from({ length: 3000 }, () => ((seed = (seed * 48271) % 2147483647) % 1e6).toString(36)).join(
          "",
        );
      await writeFile(
        path,
        Array.from({ length: 600 }, (_, i) =>
          toLine(makeRollout({ id: `r-${i}`, run: "a", turns: [{ role: "user", text: noise() }] })),
        ).join(""),
      );
      const ingest = async (at: string) => {
        const store = await openStore({ path: at, evidenceRoot: workspace.root, threads: 1 });
        try {
          return await ingestFile(store, { path, kind: "rollouts", version: "v", run: "a", batchRows: 50 });
        } finally {
          await store.close().catch(() => undefined);
        }
      };
      const archive = `${folder}/archive.duckdb`;
      await assert.rejects(
        ingest(archive),
        refused("diskFull", /The disk is full: could not write the archive/),
      );
      assert.equal(spawnSync("mount", ["-o", "remount,size=64m", folder]).status, 0);
      await ingest(archive);
      const store = await openStore({ path: archive, evidenceRoot: workspace.root });
      const [row] = await store.query({
        sql: "SELECT count(*) AS n, count(DISTINCT id) AS ids FROM rollouts",
        params: [],
      });
      await store.close();
      assert.deepEqual(row, { n: 600n, ids: 600n });
    } finally {
      spawnSync("umount", [folder]);
    }
  });

  function mountTmpfs(folder: string, size: string): boolean {
    spawnSync("mkdir", ["-p", folder]);
    return spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]).status === 0;
  }
});

const holdScript = `
  const { openStore } = await import(${JSON.stringify(new URL("./store.ts", import.meta.url).href)});
  await openStore({ path: process.argv[1], evidenceRoot: process.argv[2] });
  process.stdout.write("held\\n");
  process.stdin.resume();
`;
