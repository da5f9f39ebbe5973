import { ensureFeatures } from "../../server/src/evidence/store/derived.ts";
import { labelDiagnostics } from "../../server/src/diagnosis/labelDiagnostics.ts";
import { openStore } from "../../server/src/evidence/archive/store.ts";
import { diagnostic, handLabel, handWritten, predicate } from "./predicate.ts";
import { least, type BenchRow } from "../row.ts";

const train = { split: "train" } as const;

/**
 * T4: time of one diagnostic labelling an archive as the product does it over the same labelling written by hand in SQL.
 * Both alternate in one process on the same tables; least times.
 */
export async function benchLabelling(options: {
  readonly database: string;
  readonly rounds: number;
}): Promise<BenchRow> {
  const store = await openStore({ path: options.database, evidenceRoot: "/", threads: 2 });
  try {
    await ensureFeatures(store);
    await store.write((connection) => connection.run(handLabel));
    const ours: number[] = [];
    const hand: number[] = [];
    let labelled = 0;
    for (let round = 0; round < options.rounds; round++) {
      let start = performance.now();
      const [result] = await labelDiagnostics(store, [diagnostic(predicate)], {
        rollouts: train,
        groups: train,
      });
      ours.push(performance.now() - start);
      labelled = result?.labelled ?? 0;
      start = performance.now();
      await store.write(async (connection) => {
        for (const sql of handWritten) await connection.run(sql);
      });
      hand.push(performance.now() - start);
    }
    const rows = await store.query({
      sql: `SELECT count(*) AS n, count(DISTINCT (rid, turns)) AS pairs FROM labels WHERE label IN ('bench', 'hand')`,
      params: [],
    });
    if (Number(rows[0]?.["n"]) !== 2 * labelled || Number(rows[0]?.["pairs"]) !== labelled)
      throw new Error("Our path and the hand-written SQL do not label the same rollouts and turns.");
    // The first round reads the file; it belongs to neither side.
    const [a, b] = [least(ours.slice(1)), least(hand.slice(1))];
    return {
      name: "T4 labelling / hand-written SQL",
      measured: a / b,
      target: 1.1,
      unit: "ratio",
      detail: `${predicate.when}: ${labelled} labels with turns, ${a.toFixed(1)} ms against ${b.toFixed(1)} ms`,
    };
  } finally {
    await store.close();
  }
}
