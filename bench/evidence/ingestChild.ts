import { DuckDBInstance } from "@duckdb/node-api";
import { existsSync, statSync } from "node:fs";
import { ingestFile } from "../../server/src/evidence/ingest/ingest.ts";
import { openStore } from "../../server/src/evidence/archive/store.ts";

/** One side of the ingest benchmark: `archive`, `ctas` or `parse`, from an open process to a closed file. */
const [side = "", jsonl = "", database = ""] = process.argv.slice(2);

const columns = `{id: 'VARCHAR', run: 'VARCHAR', split: 'VARCHAR', step: 'BIGINT', item: 'VARCHAR', "group": 'VARCHAR',
  sample: 'BIGINT', outcome: 'VARCHAR', unknown_reason: 'VARCHAR', reward: 'DOUBLE', components: 'MAP(VARCHAR, DOUBLE)',
  stop_reason: 'VARCHAR', turns: 'STRUCT(role VARCHAR, "text" VARCHAR, tool VARCHAR, args JSON, ok BOOLEAN,
  tokens BIGINT, ms DOUBLE)[]', tokens: 'BIGINT', logprob_mean: 'DOUBLE', policy: 'VARCHAR', harness: 'VARCHAR',
  seed: 'BIGINT', started_at: 'VARCHAR', duration_ms: 'DOUBLE', extra: 'JSON'}`;

function sideOf(name: string): "archive" | "ctas" | "parse" {
  if (name === "archive" || name === "ctas" || name === "parse") return name;
  throw new Error(`There is no side ${name}.`);
}

async function archive(): Promise<number> {
  const store = await openStore({ path: database, evidenceRoot: "/", threads: 2 });
  const { rows } = await ingestFile(store, { path: jsonl, kind: "rollouts", version: "bench", run: "bench" });
  await store.close();
  return rows;
}

async function ctas(): Promise<number> {
  const instance = await DuckDBInstance.create(database, { threads: "2" });
  const connection = await instance.connect();
  await connection.run(
    `CREATE TABLE rollouts AS SELECT * FROM read_json(?, format = 'newline_delimited', columns = ${columns})`,
    [jsonl],
  );
  const rows = (await connection.runAndReadAll("SELECT count(*)::INTEGER FROM rollouts")).getRows();
  await connection.run("CHECKPOINT");
  connection.closeSync();
  instance.closeSync();
  return Number(rows[0]?.[0]);
}

/** Every field parsed, nothing stored. */
async function parse(): Promise<number> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
  const connection = await instance.connect();
  const counts = await connection.runAndReadAll(
    `SELECT count(COLUMNS(*)) FROM read_json(?, format = 'newline_delimited', columns = ${columns})`,
    [jsonl],
  );
  const rows = Number(counts.getRows()[0]?.[0]);
  connection.closeSync();
  instance.closeSync();
  return rows;
}

const before = process.resourceUsage();
const start = performance.now();
const sides = { archive, ctas, parse };
const rows = await sides[sideOf(side)]();
const after = process.resourceUsage();
const result = {
  rows,
  wallMs: performance.now() - start,
  cpuMs: (after.userCPUTime + after.systemCPUTime - before.userCPUTime - before.systemCPUTime) / 1000,
  rssMb: after.maxRSS / 1024,
  storeMb: existsSync(database) ? statSync(database).size / 1e6 : 0,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
