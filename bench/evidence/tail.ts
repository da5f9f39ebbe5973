import { appendFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance, LIST, listValue, VARCHAR } from "@duckdb/node-api";
import { ingestFile } from "../../server/src/evidence/ingest/ingest.ts";
import { countRollouts } from "../../server/src/evidence/queries/query.ts";
import { openStore } from "../../server/src/evidence/archive/store.ts";
import { generateRollouts } from "../generate.ts";
import { median, quantile, type BenchRow } from "../row.ts";

const columns = {
  id: "VARCHAR",
  run: "VARCHAR",
  split: "VARCHAR",
  step: "BIGINT",
  item: "VARCHAR",
  group: "VARCHAR",
  sample: "BIGINT",
  outcome: "VARCHAR",
  unknown_reason: "VARCHAR",
  reward: "DOUBLE",
  components: "JSON",
  stop_reason: "VARCHAR",
  turns: [
    {
      role: "VARCHAR",
      text: "VARCHAR",
      tool: "VARCHAR",
      args: "JSON",
      ok: "BOOLEAN",
      tokens: "BIGINT",
      ms: "DOUBLE",
    },
  ],
  tokens: "BIGINT",
  logprob_mean: "DOUBLE",
  policy: "VARCHAR",
  harness: "VARCHAR",
  seed: "BIGINT",
  started_at: "VARCHAR",
  duration_ms: "DOUBLE",
  extra: "JSON",
};

/**
 * T3: time from a line in a file to the rollout in a query's result, in an archive that is full already, over the time in
 * which the engine alone commits the same line, already in memory, to an empty table. Both alternate.
 */
export async function benchTail(options: {
  readonly folder: string;
  readonly database: string;
  readonly rows: number;
  readonly rounds: number;
}): Promise<BenchRow[]> {
  const run = `tail-${process.pid}`;
  const path = join(options.folder, `${run}.jsonl`);
  const bare = join(options.folder, "tail.db");
  await writeFile(path, "");
  await rm(bare, { force: true });
  const store = await openStore({ path: options.database, evidenceRoot: "/", threads: 2 });
  const instance = await DuckDBInstance.create(bare, { threads: "2" });
  const connection = await instance.connect();
  try {
    // The fastest way for a line into typed columns that the engine offers, with the turns left nested.
    const spec = JSON.stringify(columns);
    const insert = `INSERT INTO rollouts SELECT unnest(json_transform(x, '${spec}')) FROM (SELECT unnest($1::VARCHAR[]) x)`;
    await connection.run(`CREATE TABLE rollouts AS SELECT unnest(json_transform('{}', '${spec}')) LIMIT 0`);
    const statement = await connection.prepare(insert);
    const [ours, theirs]: [number[], number[]] = [[], []];
    const warm = 5;
    const counted = new Map<string, number>();
    const rollouts = generateRollouts({ rows: options.rounds + warm, textBytes: 3100, seed: 9, run });
    for (const rollout of rollouts) {
      const line = JSON.stringify(rollout);
      let start = performance.now();
      await appendFile(path, `${line}\n`);
      await ingestFile(store, { path, kind: "rollouts", version: run, run });
      const split = rollout.split === "selection" ? "selection" : "train";
      const { total } = await countRollouts(store, { split, run });
      ours.push(performance.now() - start);
      counted.set(split, (counted.get(split) ?? 0) + 1);
      if (total !== counted.get(split)) throw new Error(`${rollout.id} is not in the archive.`);
      start = performance.now();
      statement.bindList(1, listValue([line]), LIST(VARCHAR));
      await statement.run();
      theirs.push(performance.now() - start);
    }
    const [a, b] = [ours.slice(warm), theirs.slice(warm)];
    return [
      {
        name: "T3 line to query result / the engine's commit, p50",
        measured: median(a) / median(b),
        target: 4,
        unit: "ratio",
        detail: `archive of ${options.rows} rollouts, ${options.rounds} lines: ${median(a).toFixed(1)} ms against ${median(b).toFixed(1)} ms`,
      },
      {
        name: "T3 line to query result, p95",
        measured: quantile(a, 0.95),
        target: 60,
        unit: "ms",
        detail: `p50 ${median(a).toFixed(1)} ms, longest ${Math.max(...a).toFixed(1)} ms`,
      },
    ];
  } finally {
    connection.closeSync();
    instance.closeSync();
    await store.close();
  }
}
