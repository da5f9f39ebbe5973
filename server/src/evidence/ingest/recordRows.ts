import type { ReportedScore } from "../../../../shared/model/reportedScore.ts";
import type { MetricRecord, Rollout, Turn } from "../../../../shared/model/rollout.ts";
import type { Cell } from "../scan/nativeValues.ts";
import type { Source } from "../store/sources.ts";

/** The row of the table `rollouts` for one line. */
export function rolloutRow(
  at: { readonly rid: number; readonly source: Source; readonly line: number },
  r: Rollout,
): Cell[] {
  return [
    at.rid,
    at.source.source,
    at.line,
    at.source.version,
    r.id,
    r.run,
    r.split,
    r.step,
    r.item,
    r.group,
    r.sample,
    r.outcome,
    r.unknown_reason ?? null,
    r.reward,
    r.components,
    r.stop_reason,
    r.tokens,
    r.logprob_mean ?? null,
    r.policy,
    r.harness,
    r.seed,
    r.started_at,
    r.duration_ms,
    JSON.stringify(r.extra),
  ];
}

/** The row of the table `turns`. */
export function turnRow(rid: number, idx: number, turn: Turn): Cell[] {
  return [
    rid,
    idx,
    turn.role,
    turn.text,
    turn.tool ?? null,
    turn.args === undefined ? null : JSON.stringify(turn.args),
    turn.ok ?? null,
    turn.tokens ?? null,
    turn.ms ?? null,
  ];
}

/** One row of the table `metrics` per named value; a null value is kept as NULL. */
export function metricRows(source: Source, line: number, record: MetricRecord): Cell[][] {
  return Object.entries(record)
    .filter(([name]) => name !== "step")
    .map(([name, value]) => [
      source.source,
      line,
      source.run,
      source.version,
      record.step,
      name,
      value ?? null,
    ]);
}

/** The row of the table `scores`: its version is the one that the file names. */
export function scoreRow(source: Source, line: number, score: ReportedScore): Cell[] {
  return [
    source.source,
    line,
    source.run,
    score.version,
    score.score,
    score.n,
    score.items ?? null,
    score.unknown ?? 0,
    score.seed ?? null,
    score.seeds ?? null,
    score.set ?? null,
    score.note ?? null,
  ];
}
