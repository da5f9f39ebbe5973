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

async function hasRollouts(workspace: Awaited<ReturnType<typeof makeWorkspace>>): Promise<boolean> {
  const store = await workspace.open();
  const [row] = await store.query({ sql: "SELECT count(*) AS n FROM rollouts", params: [] });
  await store.close();
  return Number(row?.["n"]) > 0;
}

describe("kill -9 during ingest", () => {
  it(`loses nothing and duplicates nothing over ${kills} kills`, async function () {
    this.timeout(60_000 + kills * 20_000);
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
      let killed = 0;
      let committed = false;
      // A busy machine commits nothing in a time in which a quiet one commits much: it is given longer then.
      for (let within = 250; !committed && within <= 16_000; within *= 2) {
        for (let i = 0; i < kills; i++)
          if (!(await survives([path, workspace.database, workspace.root], random() * within))) killed++;
        committed = await hasRollouts(workspace);
      }
      assert.ok(killed > 0, "at least one ingest must have been killed on the way");
      assert.ok(committed, "something must have been committed before the kills");

      const store = await workspace.open();
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
