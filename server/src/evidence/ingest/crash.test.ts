import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { seededRandom } from "../../base/random.ts";
import { ingestFile } from "./ingest.ts";
import { makeRollout, makeWorkspace, toLine } from "../../../../test/support/evidence/evidence.ts";
import { runUntilKilled } from "../../../../test/support/evidence/kill.ts";

const kills = Number(process.env["EVOTRAINER_CRASH_KILLS"] ?? 6);

async function survives(args: readonly string[], after: number): Promise<boolean> {
  const { opened, done } = await runUntilKilled("crashChild.ts", args, after);
  assert.ok(opened, "the child must have opened the archive");
  return done;
}

describe("kill -9 during ingest", () => {
  it(`loses nothing and duplicates nothing over ${kills} kills`, async function () {
    this.timeout(20_000 + kills * 5_000);
    const workspace = await makeWorkspace();
    try {
      const path = workspace.file("rollouts.jsonl");
      const total = 8000;
      const bad = (i: number): boolean => i % 97 === 5;
      await writeFile(
        path,
        Array.from({ length: total }, (_, i) =>
          bad(i) ? `{"line":${i}\n` : toLine(makeRollout({ id: `r-${i}` })),
        ).join(""),
      );
      const random = seededRandom(17);
      let survived = 0;
      for (let i = 0; i < kills; i++)
        if (await survives([path, workspace.database, workspace.root], random() * 250)) survived++;
      assert.ok(survived < kills, "at least one ingest must have been killed on the way");

      const store = await workspace.open();
      const before = await store.query({ sql: "SELECT count(*) AS n FROM rollouts", params: [] });
      assert.ok(Number(before[0]?.["n"]) > 0, "something must have been committed before the kills");
      await ingestFile(store, { path, kind: "rollouts", version: "v1", run: "run-1" });
      const [row] = await store.query({
        sql: `SELECT count(*) AS rollouts, count(DISTINCT id) AS ids, count(DISTINCT rid) AS rids,
                     (SELECT count(*) FROM turns) AS turns, (SELECT count(*) FROM quarantine) AS bad,
                     (SELECT count(DISTINCT line) FROM quarantine) AS bad_lines FROM rollouts`,
        params: [],
      });
      const broken = BigInt(Array.from({ length: total }, (_, i) => i).filter(bad).length);
      const good = BigInt(total) - broken;
      assert.deepEqual(row, {
        rollouts: good,
        ids: good,
        rids: good,
        turns: good * 3n,
        bad: broken,
        bad_lines: broken,
      });
    } finally {
      await workspace.remove();
    }
  });
});
