import { createHash } from "node:crypto";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import type { SqlFragment } from "../evidence/database.ts";
import { compileCondition } from "./compileSql.ts";
import type { ExpressionProblem } from "./language.ts";

/** A diagnostic compiled for the archive. `revision` changes whenever what it labels could change. */
export interface CompiledLabel {
  readonly name: string;
  readonly revision: string;
  readonly needsFeatures: boolean;
  /** Boolean SQL over rollouts r (and features f). */
  readonly when: string;
  /** Boolean SQL over turns t and rollouts r (and features f); null when the spec names no evidence. */
  readonly evidence: string | null;
}

export type CompiledLabelResult =
  | { readonly ok: true; readonly label: CompiledLabel }
  | { readonly ok: false; readonly key: "when" | "evidence"; readonly problem: ExpressionProblem };

/** Compiles a diagnostic's label; a problem names which of its expressions is wrong and where. */
export function compileLabel(spec: DiagnosticSpec): CompiledLabelResult {
  const when = compileCondition(spec.label.when);
  if (!when.ok) return { ok: false, key: "when", problem: when.problem };
  const { evidence: text } = spec.label;
  const evidence = text === undefined ? null : compileCondition(text, "turn");
  if (evidence?.ok === false) return { ok: false, key: "evidence", problem: evidence.problem };
  return {
    ok: true,
    label: {
      name: spec.name,
      revision: createHash("sha256")
        .update(JSON.stringify([spec.label.when, text ?? null]))
        .digest("hex")
        .slice(0, 16),
      needsFeatures: when.condition.needsFeatures || (evidence?.condition.needsFeatures ?? false),
      when: when.condition.sql,
      evidence: evidence?.condition.sql ?? null,
    },
  };
}

/**
 * SELECT of the rollouts that a label catches, with the turns that show it: columns rid BIGINT, turns BIGINT[].
 * `scope` is boolean SQL over r that says which rollouts are looked at.
 */
export function labelSelect(label: CompiledLabel, scope: SqlFragment): SqlFragment {
  const features = label.needsFeatures ? "LEFT JOIN features f ON f.rid = r.rid" : "";
  const caught = `SELECT r.rid FROM rollouts r ${features} WHERE (${scope.sql}) AND coalesce(${label.when}, FALSE)`;
  if (label.evidence === null)
    return { sql: `SELECT c.rid, CAST([] AS BIGINT[]) AS turns FROM (${caught}) c`, params: scope.params };
  return {
    sql: `WITH c AS (${caught}), e AS (
      SELECT t.rid, list(t.idx ORDER BY t.idx) AS turns FROM turns t JOIN rollouts r ON r.rid = t.rid ${features}
      WHERE r.rid IN (SELECT rid FROM c) AND coalesce(${label.evidence}, FALSE) GROUP BY t.rid)
      SELECT c.rid, coalesce(e.turns, CAST([] AS BIGINT[])) AS turns FROM c LEFT JOIN e ON e.rid = c.rid`,
    params: scope.params,
  };
}
