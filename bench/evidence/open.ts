import { appendFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { seededRandom } from "../../server/src/base/random.ts";
import { ingestFile } from "../../server/src/evidence/ingest/ingest.ts";
import { readRollout } from "../../server/src/evidence/queries/readRollout.ts";
import { openStore } from "../../server/src/evidence/archive/store.ts";
import { generateRollouts } from "../generate.ts";
import { quantile, type BenchRow } from "../row.ts";

const turnCount = 100;
const rollouts = 40;

/** Opening a rollout of 100 turns and 2 MB by its name, in an archive that is full of others; the 95th percentile. */
export async function benchOpen(options: {
  readonly folder: string;
  readonly database: string;
  readonly rows: number;
}): Promise<BenchRow> {
  const run = `long-${process.pid}`;
  const path = join(options.folder, `${run}.jsonl`);
  for (const rollout of generateRollouts({ rows: rollouts, textBytes: 3100, seed: 4, run })) {
    const text = rollout.turns.map((turn) => turn.text).join("\n");
    const turns = Array.from({ length: turnCount }, (_, i) => ({
      role: i % 2 === 0 ? "assistant" : "tool",
      text: text.repeat(Math.ceil(20_000 / text.length)).slice(i, i + 20_000),
    }));
    await appendFile(path, `${JSON.stringify({ ...rollout, turns })}\n`);
  }
  const store = await openStore({ path: options.database, evidenceRoot: "/", threads: 2 });
  try {
    await ingestFile(store, { path, kind: "rollouts", version: run, run });
    const random = seededRandom(3);
    const times: number[] = [];
    let bytes = 0;
    for (let round = 0; round < 60; round++) {
      const n = Math.floor(random() * rollouts);
      const start = performance.now();
      const found = await readRollout(store, { within: run, id: `${n >> 3}-${n & 7}` });
      times.push(performance.now() - start);
      if (found.rollout.turns.length !== turnCount) throw new Error("A long rollout lost its turns.");
      bytes = found.rollout.turns.reduce((sum, turn) => sum + turn.text.length, 0);
    }
    return {
      name: "open a rollout of 100 turns and 2 MB, p95",
      measured: quantile(times, 0.95),
      target: 50,
      unit: "ms",
      detail: `${(bytes / 1e6).toFixed(1)} MB of text, among ${options.rows} rollouts: p50 ${quantile(times, 0.5).toFixed(1)} ms, longest ${Math.max(...times).toFixed(1)} ms`,
    };
  } finally {
    await store.close();
    await rm(path, { force: true });
  }
}
