import assert from "node:assert/strict";
import { Answers } from "./answers.ts";
import { makeWorkspace } from "../../../../test/support/evidence/evidence.ts";

const query = { sql: "SELECT ? AS n", params: [1] };

describe("answers of queries", () => {
  it("hold until something is written", () => {
    const answers = new Answers();
    assert.equal(answers.find(query, 0), undefined);
    answers.keep(query, [{ n: 1 }], 0);
    assert.deepEqual(answers.find(query, 0), [{ n: 1 }]);
    assert.equal(answers.find(query, 1), undefined);
    answers.keep({ ...query, params: [2] }, [{ n: 2 }], 1);
    assert.equal(answers.find(query, 1), undefined, "what was kept before the write came back");
  });

  it("tell parameters apart that print alike", () => {
    const answers = new Answers();
    answers.keep(query, [{ n: 1 }], 0);
    for (const param of ["1", 1n, true, ["1"], [1n]])
      assert.equal(answers.find({ ...query, params: [param] }, 0), undefined);
  });

  it("are not kept when they are large, or tell of the file rather than of what is in it", () => {
    const answers = new Answers();
    answers.keep(query, [{ n: "x".repeat(100_001) }], 0);
    assert.equal(answers.find(query, 0), undefined);
    const size = { sql: "SELECT used_blocks FROM pragma_database_size()", params: [] };
    answers.keep(size, [{ n: 1 }], 0);
    assert.equal(answers.find(size, 0), undefined);
  });

  it("make room for newer ones", () => {
    const answers = new Answers();
    for (let n = 0; n < 100; n++) answers.keep({ ...query, params: [n] }, [{ n: "x".repeat(90_000) }], 0);
    const kept = Array.from({ length: 100 }, (_, n) => answers.find({ ...query, params: [n] }, 0));
    const found = kept.filter((rows) => rows !== undefined).length;
    assert.ok(found > 0 && found < 50, String(found));
    assert.notEqual(kept.at(-1), undefined);
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
});
