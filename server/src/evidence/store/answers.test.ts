import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { dropRows } from "../ingest/dropRows.ts";
import { ingestFile } from "../ingest/ingest.ts";
import { writeLabels } from "../labels/labels.ts";
import { Answers, Written } from "./answers.ts";
import { ensureFeatures } from "./derived.ts";
import { findSource } from "./sources.ts";
import type { Row, SqlFragment } from "./sql.ts";
import { makeRollout, makeWorkspace, toLine } from "../../../../test/support/evidence/evidence.ts";

const query = { sql: "SELECT ? AS n", params: [1] };

describe("answers of queries", () => {
  const made = () => {
    const written = new Written();
    const answers = new Answers(written);
    const keep = (fragment: SqlFragment, rows: Row[]): void =>
      answers.keep(fragment, rows, answers.stamp(fragment));
    return { written, answers, keep };
  };

  it("hold until something is written", () => {
    const { written, answers, keep } = made();
    assert.equal(answers.find(query), undefined);
    keep(query, [{ n: 1 }]);
    assert.deepEqual(answers.find(query), [{ n: 1 }]);
    written.note(["v1"]);
    assert.equal(answers.find(query), undefined);
    keep({ ...query, params: [2] }, [{ n: 2 }]);
    assert.equal(answers.find(query), undefined, "what was kept before the write came back");
  });

  it("that versions decide hold until one of theirs is written, or one that nobody names", () => {
    const { written, answers, keep } = made();
    const both = { ...query, of: ["v1", "v2"] };
    keep(both, [{ n: 1 }]);
    for (const others of [[], ["v3"], ["v3", "v4"]]) {
      written.note(others);
      assert.deepEqual(answers.find(both), [{ n: 1 }]);
    }
    for (const its of [["v2"], ["v3", "v1"], undefined]) {
      written.note(its);
      assert.equal(answers.find(both), undefined);
      keep(both, [{ n: 1 }]);
    }
  });

  it("are not kept when something of theirs was written while the query ran", () => {
    for (const fragment of [query, { ...query, of: ["v1"] }]) {
      const { written, answers } = made();
      const before = answers.stamp(fragment);
      written.note(["v1"]);
      answers.keep(fragment, [{ n: 1 }], before);
      assert.equal(answers.find(fragment), undefined);
    }
  });

  it("tell parameters apart that print alike", () => {
    const { answers, keep } = made();
    keep(query, [{ n: 1 }]);
    for (const param of ["1", 1n, true, ["1"], [1n]])
      assert.equal(answers.find({ ...query, params: [param] }), undefined);
  });

  it("are not kept when they are large, or describe the file rather than what is in it", () => {
    const { answers, keep } = made();
    keep(query, [{ n: "x".repeat(100_001) }]);
    assert.equal(answers.find(query), undefined);
    const size = { sql: "SELECT used_blocks FROM pragma_database_size()", params: [] };
    keep(size, [{ n: 1 }]);
    assert.equal(answers.find(size), undefined);
  });

  it("make room for newer ones", () => {
    for (const of of [undefined, ["v1"]]) {
      const { answers, keep } = made();
      const asked = Array.from({ length: 100 }, (_, n) => ({
        ...query,
        params: [n],
        ...(of && { of }),
      }));
      for (const fragment of asked) keep(fragment, [{ n: "x".repeat(90_000) }]);
      const kept = asked.map((fragment) => answers.find(fragment));
      const found = kept.filter((rows) => rows !== undefined).length;
      assert.ok(found > 0 && found < 90, String(found));
      assert.notEqual(kept.at(-1), undefined);
    }
  });

  it("are given by an archive until it changes, and cannot be changed by who got them", async () => {
    const workspace = await makeWorkspace();
    const store = await workspace.open();
    const count = { sql: "SELECT count(*) AS n FROM meta", params: [] };
    const first = await store.query(count);
    const again = await store.query(count);
    assert.equal(again[0], first[0], "asked again");
    first.length = 0;
    assert.equal((await store.query(count)).length, 1);
    await store.write((connection) => connection.run("INSERT INTO meta VALUES ('more', '')"));
    assert.equal((await store.query(count))[0]?.["n"], BigInt(Number(again[0]?.["n"]) + 1));
    await workspace.remove();
  });

  it("of one version are the same as if they were computed again, whatever was written", async () => {
    const workspace = await makeWorkspace();
    const store = await workspace.open();
    const ingest = async (version: string, ...ids: string[]): Promise<void> => {
      const path = workspace.file(`${version}-${ids.join()}.jsonl`);
      await writeFile(
        path,
        ids.map((id) => toLine(makeRollout({ id, run: `${version}-${ids.join()}` }))).join(""),
      );
      await ingestFile(store, { path, kind: "rollouts", version });
    };
    const sql = `SELECT count(*) AS rollouts, count(f.rid) AS features, (SELECT count(*) FROM labels) AS labels
                 FROM rollouts r LEFT JOIN features f USING (rid) WHERE r.version = 'v1'`;
    const kept = { sql, params: [], of: ["v1"] };
    const check = async (): Promise<void> =>
      assert.deepEqual(await store.query(kept), await store.query({ sql: `${sql} AND TRUE`, params: [] }));
    await ingest("v1", "a", "b");
    await check();
    const [first] = await store.query(kept);
    await ingest("v2", "c");
    assert.equal((await store.query(kept))[0], first, "another version's rollouts change nothing");
    await ensureFeatures(store);
    await check();
    await ingest("v1", "d", "e", "f");
    await check();
    await ensureFeatures(store);
    await check();
    const labels = [{ run: "v1-a,b", id: "a", turns: [] }];
    await writeLabels(store, { label: "mine", revision: "1", labels });
    await check();
    const drop = async (path: string): Promise<void> => {
      const file = await findSource(store, path);
      assert.ok(file);
      await dropRows(store, [{ source: file.source, path: file.path, whole: true }]);
    };
    await drop("v1-d,e,f.jsonl");
    await check();
    assert.deepEqual(await store.query(kept), [{ rollouts: 2n, features: 2n, labels: 1n }]);
    const [last] = await store.query(kept);
    await drop("v2-c.jsonl");
    assert.equal((await store.query(kept))[0], last, "what went of another version changes nothing");
    await check();
    await workspace.remove();
  });
});
