import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { forget } from "../../ingest/retention.ts";
import { importPaths } from "../../../../../test/support/evidence/import.ts";
import { rebuildStore } from "../../archive/store.ts";
import { archiveStatus } from "../../store/archiveStatus.ts";
import type { Store } from "../../store/database.ts";
import { makeWorkspace } from "../../../../../test/support/evidence/evidence.ts";

describe("the runs of one export of W&B", () => {
  const chart = (runs: readonly string[], rows: readonly (readonly number[])[]): string => {
    const columns = runs.flatMap((run) => ["", "__MIN", "__MAX"].map((end) => `"${run} - train/loss${end}"`));
    const lines = rows.map((values, i) => [i, ...values.flatMap((v) => [v, v - 0.5, v + 0.5])].join(","));
    return `${[`"Step"`, ...columns].join(",")}\n${lines.join("\n")}\n`;
  };
  const stored = async (store: Store): Promise<string[]> =>
    (
      await store.query({
        sql: `SELECT run, version, name, string_agg(step || '=' || value, ' ' ORDER BY step) AS values FROM metrics
              GROUP BY run, version, name ORDER BY run, version, name`,
        params: [],
      })
    ).map((row) => [row["run"], row["version"], row["name"], row["values"]].join(" "));

  it("keeps the runs of one export of W&B apart, each a version of its name, and joins exports of the same runs", async () => {
    const workspace = await makeWorkspace();
    try {
      const store = await workspace.open();
      const paths = ["one.csv", "two.csv"].map((name) => workspace.file(name));
      await writeFile(
        paths[0] ?? "",
        chart(
          ["seed 1", "seed 2"],
          [
            [2, 4],
            [1, 3],
          ],
        ),
      );
      await writeFile(
        paths[1] ?? "",
        chart(
          ["seed 2", "other"],
          [
            [4, 7],
            [3, 6],
          ],
        ).replaceAll("loss", "kl"),
      );
      const { skipped } = await importPaths(store, paths);
      const expected = [
        "other other train/kl 0=7.0 1=6.0",
        "seed-1 seed-1 train/loss 0=2.0 1=1.0",
        "seed-2 seed-2 train/kl 0=4.0 1=3.0",
        "seed-2 seed-2 train/loss 0=2.0 1=1.0".replace("0=2.0 1=1.0", "0=4.0 1=3.0"),
      ];
      assert.deepEqual(await stored(store), expected);
      assert.deepEqual([...skipped.runs].sort(), ["other", "seed-1", "seed-2"]);
      assert.equal((await importPaths(store, paths)).counts.unchanged, 2);
      // The file grew, with a run more.
      await writeFile(
        paths[1] ?? "",
        chart(["seed 2", "other", "new"], [[4, 7, 9]]).replaceAll("loss", "kl"),
      );
      await importPaths(store, paths);
      assert.deepEqual(
        (await stored(store)).filter((row) => row.includes("kl")),
        ["new new train/kl 0=9.0", "other other train/kl 0=7.0", "seed-2 seed-2 train/kl 0=4.0"],
      );
      assert.deepEqual(
        (await archiveStatus(store)).versions.map(({ version, metrics }) => [version, metrics]),
        [
          ["seed-1", 2],
          ["seed-2", 3],
          ["new", 1],
          ["other", 1],
        ],
      );
      await assert.rejects(
        forget(store, { version: "seed-1" }),
        /nothing of the version seed-1.*one\.csv.*forget all of it with --run one\./,
      );
      const before = await stored(store);
      await store.close();
      const rebuilt = await rebuildStore({ path: workspace.database, evidenceRoot: workspace.root });
      assert.deepEqual(await stored(rebuilt.store), before);
      await rebuilt.store.close();
    } finally {
      await workspace.remove();
    }
  });

  it("tells runs of one export apart from runs that are called the same elsewhere, and puts them into the version that is asked for", async () => {
    const workspace = await makeWorkspace();
    try {
      const store = await workspace.open();
      const places = ["x", "y"].map((folder) => workspace.file(`${folder}/wandb.csv`));
      for (const [i, path] of places.entries()) {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, chart(["a", "b"], [[i, 2]]));
      }
      await importPaths(store, places, { version: "v" });
      assert.deepEqual(await stored(store), [
        "a v train/loss 0=0.0",
        "a-2 v train/loss 0=1.0",
        "b v train/loss 0=2.0",
        "b-2 v train/loss 0=2.0",
      ]);
      const { skipped } = await importPaths(store, places.slice(0, 1), { run: "mine" });
      assert.match(skipped.refused[0]?.reason ?? "", /it holds 2 runs \(a and b\).*leave --run out/);
    } finally {
      await workspace.remove();
    }
  });
});
