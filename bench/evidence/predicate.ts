import { choiceConstant } from "../../server/src/evidence/contract/choices.ts";
import { DiagnosticSpec } from "../../shared/spec/diagnostic.ts";
import { compilePredicate } from "../../server/src/predicate/compile.ts";
import type { Scope } from "../../server/src/predicate/types.ts";

/** The diagnostic of the labelling benchmark, as a researcher writes it. */
export const predicate = {
  when: 'longest_tool_streak >= 8 && outcome != "pass"',
  evidence: "turn.tool == streak_tool",
};

/** A diagnostic of the name bench. */
export function diagnostic(label: { readonly when: string; readonly evidence?: string }): DiagnosticSpec {
  return DiagnosticSpec.parse({ apiVersion: "evotrainer/v1", kind: "Diagnostic", name: "bench", label });
}

/** The SQL of a condition; a benchmark's conditions compile, or it has nothing to measure. */
export function compiledSql(text: string, scope: Scope = "rollout"): string {
  const compiled = compilePredicate(text, scope);
  if (!compiled.ok) throw new Error(`${text}: ${compiled.problems[0]?.message ?? ""}`);
  return compiled.predicate.sql;
}

const train = choiceConstant("split", "train");
const pass = choiceConstant("outcome", "pass");

/** Under which the labels that are set by hand are stored. */
const handKey = 1_000_000;
export const handLabel = `INSERT INTO label_keys VALUES (${handKey}, 'hand', '1')`;

/** The same labels, turns and counts by hand: what one would type into a DuckDB shell. */
export const handWritten: readonly string[] = [
  `DELETE FROM labelled WHERE key = ${handKey} AND rid IN (SELECT rid FROM rollouts WHERE split = ${train})`,
  `INSERT INTO labelled
   SELECT r.rid, ${handKey}, list(t.idx ORDER BY t.idx)
   FROM rollouts r JOIN features f ON f.rid = r.rid JOIN turns t ON t.rid = r.rid AND t.tool = f.streak_tool
   WHERE r.split = ${train} AND f.longest_tool_streak >= 8 AND r.outcome <> ${pass}
   GROUP BY r.rid`,
  `SELECT count(*), count(*) FILTER (verdict), count(*) FILTER (verdict IS NULL)
   FROM (SELECT f.longest_tool_streak >= 8 AND r.outcome <> ${pass} AS verdict
         FROM rollouts r JOIN features f ON f.rid = r.rid WHERE r.split = ${train})`,
];
