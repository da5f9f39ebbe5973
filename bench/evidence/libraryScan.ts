import { labelDiagnostics } from "../../server/src/diagnosis/labelDiagnostics.ts";
import { ensureDerived } from "../../server/src/evidence/store/derived.ts";
import { openStore, type Store } from "../../server/src/evidence/archive/store.ts";
import { shippedDiagnostics } from "../../server/src/project/library.ts";
import { least, type BenchRow } from "../row.ts";
import { forget } from "./forget.ts";

const scope = { split: "train" } as const;

/** One statement that reads the columns that the library's conditions name, of the same rollouts, and does nothing with them. */
const scan = `
  SELECT (SELECT sum(strlen(t.role)) + sum(strlen(t.text)) + sum(strlen(t.tool)) + sum(strlen(t.args::VARCHAR))
                 + count(t.ok) + max(t.idx) FROM turns t SEMI JOIN chosen USING (rid)) AS turns,
         (SELECT count(outcome) + count(reward) + sum(cardinality(components)) + sum(strlen(stop_reason)) + sum(tokens)
                 + count(logprob_mean) + sum(strlen("group")) + sum(step) FROM rollouts SEMI JOIN chosen USING (rid)) AS rollouts,
         (SELECT sum(n_turns) + sum(n_tool_calls) + sum(n_tool_errors) + sum(longest_tool_streak) + sum(len(calls))
          FROM features SEMI JOIN chosen USING (rid)) AS features,
         (SELECT count(action_counts) + count(action_first) + count(action_streaks) + count(action_told)
                 + count(action_errors) + sum(len(edited_files)) FROM actions SEMI JOIN chosen USING (rid)) AS actions`;

/**
 * Processor time of labelling an archive by all diagnostics of the library over rollouts and groups, over that of one scan
 * that only reads the same columns. Both alternate in one process; least times.
 */
export async function benchLibraryScan(options: {
  readonly database: string;
  readonly shape: string;
  readonly rows: number;
  readonly rounds: number;
}): Promise<BenchRow> {
  const store = await openStore({ path: options.database, evidenceRoot: "/", threads: 2 });
  try {
    for (const table of ["features", "actions"] as const) await ensureDerived(store, table);
    const all = shippedDiagnostics()
      .map(({ spec }) => spec)
      .filter((spec) => spec.over !== "version");
    const label = async (): Promise<void> => {
      await labelDiagnostics(store, all, { rollouts: scope, groups: scope });
    };
    const read = async (): Promise<void> => {
      await readAll(store);
    };
    // The first round reads the file; it belongs to neither side.
    await label();
    await read();
    const [ours, scans]: [number[], number[]] = [[], []];
    for (let round = 0; round < options.rounds; round++) {
      await forget(store);
      ours.push(await processorTime(label));
      await forget(store);
      scans.push(await processorTime(read));
    }
    const [a, b] = [least(ours), least(scans)];
    return {
      name: `all diagnostics of the library in one pass / one scan of the columns that they read, processor time, ${options.shape}`,
      measured: a / b,
      target: 6,
      unit: "ratio",
      detail: `${options.rows} rollouts, ${all.length} diagnostics: ${a.toFixed(0)} ms against ${b.toFixed(0)} ms of processor time`,
    };
  } finally {
    await store.close();
  }
}

async function readAll(store: Store): Promise<void> {
  await store.query({
    sql: `WITH chosen AS (SELECT rid FROM rollouts WHERE split = 'train') ${scan}`,
    params: [],
  });
}

/** Of all threads, in milliseconds. */
async function processorTime(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
