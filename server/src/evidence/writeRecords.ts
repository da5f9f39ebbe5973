import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { MetricRecord, Rollout, Turn } from "../../../shared/model/rollout.ts";
import type { Store } from "./database.ts";
import type { BadLine, Located } from "./batch.ts";
import type { Source } from "./sources.ts";
import { TableWriter } from "./tableWriter.ts";

export interface RolloutBatch {
  readonly source: Source;
  /** The rid of the first rollout; the others follow. */
  readonly rid: bigint;
  readonly rollouts: readonly Located<Rollout>[];
}

/** Appends rollouts and their turns inside the connection's transaction. */
export async function writeRollouts(
  store: Store,
  connection: DuckDBConnection,
  batch: RolloutBatch,
): Promise<void> {
  if (batch.rollouts.length === 0) return;
  const rollouts = await TableWriter.open(store, connection, "rollouts");
  const turns = await TableWriter.open(store, connection, "turns");
  const toMap = (values: Readonly<Record<string, number>>): DuckDBValue =>
    new store.duckdb.DuckDBMapValue(Object.entries(values).map(([key, value]) => ({ key, value })));
  let rid = batch.rid;
  for (const { line, record: r } of batch.rollouts) {
    rollouts.add([
      rid,
      batch.source.source,
      BigInt(line),
      batch.source.version,
      r.id,
      r.run,
      r.split,
      BigInt(r.step),
      r.item,
      r.group,
      BigInt(r.sample),
      r.outcome,
      r.unknown_reason ?? null,
      r.reward,
      toMap(r.components),
      r.stop_reason,
      BigInt(r.tokens),
      r.logprob_mean ?? null,
      r.policy,
      r.harness,
      BigInt(r.seed),
      r.started_at,
      r.duration_ms,
      JSON.stringify(r.extra),
    ]);
    let idx = 0n;
    for (const turn of r.turns) turns.add(turnRow(rid, idx++, turn));
    rid++;
  }
  rollouts.close();
  turns.close();
}

function turnRow(rid: bigint, idx: bigint, turn: Turn): DuckDBValue[] {
  return [
    rid,
    idx,
    turn.role,
    turn.text,
    turn.tool ?? null,
    turn.args === undefined ? null : JSON.stringify(turn.args),
    turn.ok ?? null,
    turn.tokens === undefined ? null : BigInt(turn.tokens),
    turn.ms ?? null,
  ];
}

/** Appends one row per named value; a null value is kept as NULL. */
export async function writeMetrics(
  store: Store,
  connection: DuckDBConnection,
  source: Source,
  metrics: readonly Located<MetricRecord>[],
): Promise<void> {
  if (metrics.length === 0) return;
  const writer = await TableWriter.open(store, connection, "metrics");
  for (const { line, record } of metrics)
    for (const [name, value] of Object.entries(record))
      if (name !== "step")
        writer.add([
          source.source,
          BigInt(line),
          source.run,
          source.version,
          BigInt(record.step),
          name,
          value ?? null,
        ]);
  writer.close();
}

/** Keeps what was refused, with the start of the line as text. */
export async function writeQuarantine(
  store: Store,
  connection: DuckDBConnection,
  source: Source,
  problems: readonly BadLine[],
): Promise<void> {
  if (problems.length === 0) return;
  const writer = await TableWriter.open(store, connection, "quarantine");
  for (const { line, offset, reason, raw } of problems)
    writer.add([source.source, source.path, BigInt(line), BigInt(offset), reason, raw.toString("utf8")]);
  writer.close();
}
