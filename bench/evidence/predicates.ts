import { choiceConstant } from "../../server/src/evidence/contract/choices.ts";
import { ensureFeatures } from "../../server/src/evidence/store/derived.ts";
import { openStore } from "../../server/src/evidence/archive/store.ts";
import { compiledSql } from "./predicate.ts";
import { least, type BenchRow } from "../row.ts";
import { forget } from "./forget.ts";

/** Conditions as a researcher writes them, and as somebody who knows SQL would. */
const conditions = [
  {
    cel: 'reward > 0.5 && outcome != "pass"',
    sql: `r.reward > 0.5 AND r.outcome <> ${choiceConstant("outcome", "pass")}`,
  },
  { cel: 'components["correctness"] < 0.5', sql: "r.components['correctness'] < 0.5" },
  {
    cel: 'turns.exists(t, t.tool == "bash" && !t.ok)',
    sql: "r.rid IN (SELECT rid FROM turns WHERE tool = 'bash' AND NOT ok)",
  },
  {
    cel: 'turns.exists(t, t.text.contains("Traceback"))',
    sql: "r.rid IN (SELECT rid FROM turns WHERE contains(text, 'Traceback'))",
  },
  { cel: "n_turns >= 3 && longest_tool_streak >= 3", sql: "f.n_turns >= 3 AND f.longest_tool_streak >= 3" },
] as const;

/**
 * T4: time to count the rollouts of an archive that a compiled condition catches over the same count in hand-written
 * SQL. Both alternate in one process; the worst of their ratios over several conditions is reported.
 */
export async function benchPredicates(options: {
  readonly database: string;
  readonly rounds: number;
}): Promise<BenchRow> {
  const store = await openStore({ path: options.database, evidenceRoot: "/", threads: 2 });
  try {
    await ensureFeatures(store);
    const count = async (where: string): Promise<{ ms: number; n: number }> => {
      await forget(store);
      const start = performance.now();
      const [row] = await store.query({
        sql: `SELECT count(*) AS n FROM rollouts r JOIN features f ON f.rid = r.rid WHERE ${where}`,
        params: [],
      });
      return { ms: performance.now() - start, n: Number(row?.["n"]) };
    };
    const ratios: { cel: string; ratio: number; ours: number; hand: number }[] = [];
    for (const { cel, sql } of conditions) {
      const [ours, hand]: [number[], number[]] = [[], []];
      for (let round = 0; round <= options.rounds; round++) {
        const [a, b] = [await count(compiledSql(cel)), await count(sql)];
        if (a.n !== b.n) throw new Error(`${cel} catches ${a.n} rollouts, the hand-written SQL ${b.n}.`);
        if (round === 0) continue; // The first round reads the file; it belongs to neither side.
        ours.push(a.ms);
        hand.push(b.ms);
      }
      ratios.push({ cel, ratio: least(ours) / least(hand), ours: least(ours), hand: least(hand) });
    }
    const worst = ratios.reduce((a, b) => (b.ratio > a.ratio ? b : a));
    return {
      name: "T4 CEL-compiled / hand-written SQL",
      measured: worst.ratio,
      target: 1.1,
      unit: "ratio",
      detail: `worst of ${ratios.length}: ${worst.cel}, ${worst.ours.toFixed(1)} ms against ${worst.hand.toFixed(1)} ms; all: ${ratios.map((r) => r.ratio.toFixed(2)).join(", ")}`,
    };
  } finally {
    await store.close();
  }
}
