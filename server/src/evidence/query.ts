import type { Outcome, Split } from "../../../shared/model/rollout.ts";
import { Outcome as OutcomeSchema, Split as SplitSchema } from "../../../shared/model/rollout.ts";
import { HarnessError } from "../base/errors.ts";
import type { Row, SqlFragment, Store } from "./database.ts";
import { numberOf, numberOrNull, numbersOf, stringOf, stringOrNull, stringsOf } from "./rows.ts";
import { scopeCondition, type EvidenceScope } from "./split.ts";

/** Which rollouts; the archive has no query without a split. */
export type RolloutFilter = EvidenceScope & {
  readonly run?: string;
  /** A training step, or the last one that the run has in this split. */
  readonly step?: number | "last";
  readonly label?: string;
  /** A condition on `r` (rollouts) and `f` (features), from the predicate compiler; needs `ensureFeatures` first. */
  readonly where?: SqlFragment;
};

/** A joined FROM and WHERE over `r` and, when asked for, `f`. */
function from(filter: RolloutFilter): SqlFragment {
  const conditions: SqlFragment[] = [scopeCondition(filter)];
  const { run, step, label, where } = filter;
  if (run !== undefined) conditions.push({ sql: "r.run = ?", params: [run] });
  if (typeof step === "number") conditions.push({ sql: "r.step = ?", params: [BigInt(step)] });
  if (step === "last") {
    const scope = scopeCondition(filter);
    conditions.push({
      sql: `(r.run, r.step) IN (SELECT (r.run, max(r.step)) FROM rollouts r WHERE ${scope.sql} GROUP BY r.run)`,
      params: scope.params,
    });
  }
  if (label !== undefined)
    conditions.push({ sql: "r.rid IN (SELECT rid FROM labels WHERE label = ?)", params: [label] });
  if (where !== undefined) conditions.push({ sql: `(${where.sql})`, params: where.params });
  return {
    sql: `FROM rollouts r ${where === undefined ? "" : "JOIN features f ON f.rid = r.rid"} WHERE ${conditions.map((c) => c.sql).join(" AND ")}`,
    params: conditions.flatMap((c) => c.params),
  };
}

/** Rollouts of the scope by outcome. */
export async function countRollouts(
  store: Store,
  filter: RolloutFilter,
): Promise<Readonly<Record<Outcome, number>> & { readonly total: number }> {
  const { sql, params } = from(filter);
  const rows = await store.query({
    sql: `SELECT r.outcome, count(*) AS n ${sql} GROUP BY r.outcome`,
    params,
  });
  const counts = { pass: 0, fail: 0, unknown: 0 };
  for (const row of rows) counts[OutcomeSchema.parse(row["outcome"])] = numberOf(row, "n");
  return { ...counts, total: counts.pass + counts.fail + counts.unknown };
}

/** What lists show of a rollout. */
export interface RolloutSummary {
  readonly rid: number;
  readonly id: string;
  readonly run: string;
  readonly version: string;
  readonly split: Split;
  readonly step: number;
  readonly item: string;
  readonly group: string;
  readonly sample: number;
  readonly seed: number | null;
  readonly outcome: Outcome;
  readonly reward: number | null;
  readonly stop_reason: string | null;
  readonly tokens: number | null;
  readonly labels: readonly string[];
}

const orderColumns = { arrival: "r.rid", step: "r.step", reward: "r.reward", tokens: "r.tokens" } as const;

export type ListOptions = RolloutFilter & {
  readonly orderBy?: keyof typeof orderColumns;
  readonly descending?: boolean;
  readonly limit?: number;
  /** What the page before returned as `next`. */
  readonly cursor?: string;
};

export interface RolloutPage {
  readonly rollouts: readonly RolloutSummary[];
  /** Cursor of the next page; absent on the last one. */
  readonly next?: string;
}

/** The summaries of the rollouts that `page` selects: it gives rid, order_value and place. */
function summaries({ sql, params }: SqlFragment): SqlFragment {
  return {
    sql: `WITH page AS (${sql}),
               named AS (SELECT rid, list(label ORDER BY label) AS labels FROM labels SEMI JOIN page USING (rid) GROUP BY rid)
          SELECT r.rid, r.id, r.run, r.version, r.split, r.step, r.item, r."group", r.sample, r.seed, r.outcome,
                 r.reward, r.stop_reason, r.tokens, coalesce(n.labels, []) AS labels, page.order_value
          FROM page JOIN rollouts r USING (rid) LEFT JOIN named n USING (rid) ORDER BY page.place`,
    params,
  };
}

/**
 * One page of rollouts in a stable order, rollouts without a value last; at most 1000.
 * @throws HarnessError badInput for a cursor that this query did not return
 */
export async function listRollouts(store: Store, options: ListOptions): Promise<RolloutPage> {
  const limit = Math.max(1, Math.min(options.limit ?? 100, 1000));
  const column = orderColumns[options.orderBy ?? "arrival"];
  const direction = options.descending === true ? "DESC" : "ASC";
  const after = options.cursor === undefined ? undefined : parseCursor(options.cursor);
  const base = from(options);
  const page = after === undefined ? { sql: "true", params: [] } : afterCursor(column, direction, after);
  const order = `${column} ${direction} NULLS LAST, r.rid`;
  const rows = await store.query(
    summaries({
      sql: `SELECT *, row_number() OVER () AS place FROM (
              SELECT r.rid, ${column}::DOUBLE AS order_value ${base.sql} AND ${page.sql}
              ORDER BY ${order} LIMIT ${limit + 1})`,
      params: [...base.params, ...page.params],
    }),
  );
  const rollouts = rows.slice(0, limit).map(summaryOf);
  const last = rows[limit - 1];
  return rows.length > limit && last !== undefined
    ? { rollouts, next: JSON.stringify([numberOrNull(last, "order_value"), numberOf(last, "rid")]) }
    : { rollouts };
}

type Cursor = readonly [value: number | null, rid: number];

function parseCursor(text: string): Cursor {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.length === 2) {
      const [at, rid] = [Number(value[0] ?? 0), Number(value[1])];
      if (Number.isFinite(at) && Number.isSafeInteger(rid)) return [value[0] === null ? null : at, rid];
    }
  } catch {
    // Falls through to the one error below.
  }
  throw new HarnessError(
    "badInput",
    "The cursor is not one that this list returned; start from the first page.",
  );
}

function afterCursor(column: string, direction: "ASC" | "DESC", [value, rid]: Cursor): SqlFragment {
  if (value === null) return { sql: `(${column} IS NULL AND r.rid > ?)`, params: [BigInt(rid)] };
  const beyond = direction === "ASC" ? ">" : "<";
  return {
    sql: `(${column} ${beyond} ? OR (${column} = ? AND r.rid > ?) OR ${column} IS NULL)`,
    params: [value, value, BigInt(rid)],
  };
}

function summaryOf(row: Row): RolloutSummary {
  return {
    rid: numberOf(row, "rid"),
    id: stringOf(row, "id"),
    run: stringOf(row, "run"),
    version: stringOf(row, "version"),
    split: SplitSchema.parse(row["split"]),
    step: numberOf(row, "step"),
    item: stringOf(row, "item"),
    group: stringOf(row, "group"),
    sample: numberOf(row, "sample"),
    seed: numberOrNull(row, "seed"),
    outcome: OutcomeSchema.parse(row["outcome"]),
    reward: numberOrNull(row, "reward"),
    stop_reason: stringOrNull(row, "stop_reason"),
    tokens: numberOrNull(row, "tokens"),
    labels: stringsOf(row, "labels"),
  };
}

/** The results of an evaluation for the statistics, ordered by item, seed and sample. */
export async function outcomesByItem(store: Store, filter: RolloutFilter): Promise<RolloutSummary[]> {
  const { sql, params } = from(filter);
  const rows = await store.query(
    summaries({
      sql: `SELECT r.rid, NULL::DOUBLE AS order_value,
                   row_number() OVER (ORDER BY r.item, r.seed, r.sample, r.rid) AS place ${sql}`,
      params,
    }),
  );
  return rows.map(summaryOf);
}

/** What a reward backtest needs of one rollout. */
export interface ScoredRollout {
  readonly rid: number;
  readonly outcome: Outcome;
  readonly reward: number | null;
  readonly components: Readonly<Record<string, number>>;
}

export interface ScoredGroup {
  readonly run: string;
  readonly step: number;
  readonly group: string;
  readonly rollouts: readonly ScoredRollout[];
}

/** The groups of a version in the order in which training saw them, one at a time. */
export async function* componentsByGroup(
  store: Store,
  options: EvidenceScope & { readonly version: string },
): AsyncGenerator<ScoredGroup> {
  const { sql, params } = from(options);
  let open: { run: string; step: number; group: string; rollouts: ScoredRollout[] } | undefined;
  const pages = store.pages({
    sql: `SELECT r.rid, r.run, r.step, r."group", r.outcome, r.reward, to_json(r.components)::VARCHAR AS components
          ${sql} ORDER BY r.run, r.step, min(r.rid) OVER (PARTITION BY r.run, r.step, r."group"), r.sample, r.rid`,
    params,
  });
  for await (const page of pages)
    for (const row of page) {
      const [run, step, group] = [stringOf(row, "run"), numberOf(row, "step"), stringOf(row, "group")];
      if (open?.run !== run || open.step !== step || open.group !== group) {
        if (open !== undefined) yield open;
        open = { run, step, group, rollouts: [] };
      }
      open.rollouts.push({
        rid: numberOf(row, "rid"),
        outcome: OutcomeSchema.parse(row["outcome"]),
        reward: numberOrNull(row, "reward"),
        components: numbersOf(row, "components"),
      });
    }
  if (open !== undefined) yield open;
}
