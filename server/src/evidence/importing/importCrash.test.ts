import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { seededRandom } from "../../base/random.ts";
import { makeWorkspace } from "../../../../test/support/evidence/evidence.ts";
import { runUntilKilled } from "../../../../test/support/evidence/kill.ts";
import { importPaths } from "../../../../test/support/evidence/import.ts";

const kills = Number(process.env["EVOTRAINER_CRASH_KILLS"] ?? 5);

describe("kill -9 during an import", () => {
  it(`loses nothing and duplicates nothing over ${kills} kills`, async function () {
    this.timeout(60_000 + kills * 10_000);
    const workspace = await makeWorkspace();
    try {
      const folder = workspace.file("dump");
      await mkdir(folder);
      const perStep = 12_000;
      const line = (step: number, i: number): string =>
        `${JSON.stringify({ input: `user\nitem ${i % 50}\nassistant\n`, output: "x".repeat(400), score: i % 3, step, acc: i % 2 })}\n`;
      let bytes = 0;
      for (const step of [1, 2, 3, 4]) {
        const lines = Array.from({ length: perStep }, (_, i) => (i % 997 === 5 ? "[torn\n" : line(step, i)));
        const content = lines.join("");
        bytes += Buffer.byteLength(content);
        await writeFile(join(folder, `${step}.jsonl`), content);
      }
      const random = seededRandom(3);
      let killed = 0;
      for (let i = 0; i < kills; i++) {
        const { opened, done } = await runUntilKilled(
          "importChild.ts",
          [folder, workspace.database, workspace.root],
          random() * 1500,
        );
        assert.ok(opened);
        if (!done) killed++;
      }
      assert.ok(killed > 0, "at least one import must have been killed on the way");
      const store = await workspace.open();
      await importPaths(store, [folder]);
      const [row] = await store.query({
        sql: `SELECT count(*)::INT AS n, count(DISTINCT (run, id))::INT AS ids, count(DISTINCT rid)::INT AS rids,
                     count(DISTINCT (step, "group", sample))::INT AS samples, max(sample)::INT AS most,
                     (SELECT count(*) FROM turns)::INT AS turns, (SELECT count(*) FROM quarantine)::INT AS bad,
                     (SELECT count(*) FROM sources)::INT AS files, (SELECT sum(consumed) FROM sources)::DOUBLE AS bytes
              FROM rollouts`,
        params: [],
      });
      const bad = Array.from({ length: perStep }, (_, i) => i).filter((i) => i % 997 === 5).length;
      const n = 4 * (perStep - bad);
      const found = {
        n,
        ids: n,
        rids: n,
        samples: n,
        most: perStep / 50 - 1,
        turns: 2 * n,
        bad: 4 * bad,
        files: 4,
        bytes,
      };
      assert.deepEqual(row, found);
      const again = await importPaths(store, [folder]);
      assert.deepEqual([again.counts.read, again.counts.unchanged], [0, 4]);
    } finally {
      await workspace.remove();
    }
  });
});
