import type { DuckDBDataChunk } from "@duckdb/node-api";
import { HarnessError } from "../../base/errors.ts";
import { isDerived, toolCountPrefix } from "../../../../shared/spec/reward.ts";
import type { Store } from "../store/database.ts";
import type { SqlFragment, SqlValue } from "../store/sql.ts";
import { ensureFeatures } from "../store/derived.ts";
import { numberOf, stringOf, stringsOf } from "../store/rows.ts";
import { scopeCondition, type EvidenceScope } from "../store/split.ts";

/** How an outcome is written in a column. */
export const outcomeCodes = { fail: 0, pass: 1, unknown: 2 } as const;

/** One number per rollout; NaN where a rollout has none that can be reckoned with. */
export interface SignalColumn {
  readonly values: Float64Array;
  /** Rollouts that lack it. */
  readonly missing: number;
  /** Rollouts that have it as NaN or an infinity. */
  readonly notFinite: number;
}

/** The rollouts of one version group by group, in the order of training, one array per signal. */
export interface GroupColumns {
  readonly rollouts: number;
  readonly groups: number;
  /** Group g has the rollouts from `offsets[g]` up to `offsets[g + 1]`. */
  readonly offsets: Uint32Array;
  readonly runs: readonly string[];
  /** Per group its place in `runs`, and its training step. */
  readonly runOf: Uint32Array;
  readonly stepOf: Float64Array;
  /** Per rollout: `outcomeCodes`, and what finds it again. */
  readonly outcomes: Uint8Array;
  readonly rids: Float64Array;
  /** The reward that training used. */
  readonly reward: SignalColumn;
  /** By name, as a reward spec names them. */
  readonly signals: ReadonlyMap<string, SignalColumn>;
}

/**
 * Reads the groups of a version and the signals named, each a component or one of `derivedSignals`. Groups are ordered by
 * run, step and arrival; rollouts of a group by sample and arrival.
 * @throws HarnessError badInput for the sealed audit split, cancelled
 */
export async function groupColumns(
  store: Store,
  scope: EvidenceScope,
  options: { readonly signals: Iterable<string>; readonly signal?: AbortSignal },
): Promise<GroupColumns> {
  const where = scopeCondition(scope);
  const names = [...new Set(options.signals)];
  const withFeatures = names.some((name) => expressionOf(name).sql.startsWith("f."));
  if (withFeatures) await ensureFeatures(store);
  const expressions = names.map(expressionOf);
  const arrived = new Arrivals(arrivalColumns.length + names.length);
  const rows = store.chunks({
    sql: `WITH g AS (SELECT r.run, r.step, r."group", row_number() OVER (ORDER BY r.run, r.step, min(r.rid)) - 1 AS place,
                            dense_rank() OVER (ORDER BY r.run) - 1 AS run_place
                     FROM rollouts r WHERE ${where.sql} GROUP BY r.run, r.step, r."group")
          SELECT g.place::DOUBLE, g.run_place::DOUBLE, r.step::DOUBLE, r.rid::DOUBLE, r.sample::DOUBLE,
                 CASE r.outcome WHEN 'fail' THEN 0 WHEN 'pass' THEN 1 ELSE 2 END::DOUBLE, r.reward
                 ${expressions.map(({ sql }) => `, (${sql})::DOUBLE`).join("")}
          FROM rollouts r JOIN g ON g.run = r.run AND g.step = r.step AND g."group" = r."group"
          ${withFeatures ? "JOIN features f ON f.rid = r.rid" : ""} WHERE ${where.sql}`,
    params: [...where.params, ...expressions.flatMap(({ params }) => params), ...where.params],
  });
  for await (const chunk of rows) {
    if (options.signal?.aborted === true)
      throw new HarnessError("cancelled", "Reading the groups was cancelled.");
    arrived.add(chunk);
  }
  const { firstOfRun, ...columns } = inOrder(arrived, names);
  return { ...columns, runs: await runNames(store, firstOfRun) };
}

/** The runs of rollouts, in their order. */
async function runNames(store: Store, rids: readonly number[]): Promise<string[]> {
  const rows = await store.query({
    sql: "SELECT r.rid, r.run FROM rollouts r WHERE list_contains(?, r.rid)",
    params: [rids.length === 0 ? [-1n] : rids.map(BigInt)],
  });
  const names = new Map(rows.map((row) => [numberOf(row, "rid"), stringOf(row, "run")]));
  return rids.map((rid) => names.get(rid) ?? "");
}

/** The names of the components that the rollouts of a scope have. */
export async function componentNames(store: Store, scope: EvidenceScope): Promise<string[]> {
  const where = scopeCondition(scope);
  const [row] = await store.query({
    sql: `SELECT coalesce(list(DISTINCT name ORDER BY name), []) AS names
          FROM (SELECT unnest(map_keys(r.components)) AS name FROM rollouts r WHERE ${where.sql})`,
    params: where.params,
  });
  return row === undefined ? [] : stringsOf(row, "names");
}

/** A signal as SQL over `r` and `f`; names of components and tools travel in the parameters. */
function expressionOf(name: string): SqlFragment {
  if (!isDerived(name)) return { sql: "r.components[?]", params: [name] };
  const params: SqlValue[] = [];
  if (name.startsWith(toolCountPrefix)) {
    params.push(name.slice(toolCountPrefix.length));
    return { sql: "coalesce(f.tool_counts[?], 0)", params };
  }
  const column = name.slice("rollout.".length);
  const table = column === "tokens" || column === "duration_ms" ? "r" : "f";
  if (!/^[a-z_]+$/.test(column)) throw new Error(`There is no derived signal ${name}.`);
  return { sql: `${table}.${column}`, params };
}

const arrivalColumns = ["place", "run", "step", "rid", "sample", "outcome", "reward"] as const;

/** Rows as they arrive, column by column. */
class Arrivals {
  readonly #chunks: Float64Array[][];
  readonly lacking: { missing: number; notFinite: number }[];
  rows = 0;

  constructor(columns: number) {
    this.#chunks = Array.from({ length: columns }, () => []);
    this.lacking = Array.from({ length: columns }, () => ({ missing: 0, notFinite: 0 }));
  }

  add(chunk: DuckDBDataChunk): void {
    const rows = chunk.rowCount;
    this.rows += rows;
    this.lacking.forEach((lacks, c) => {
      const vector = chunk.getColumnVector(c);
      const values = new Float64Array(rows);
      for (let i = 0; i < rows; i++) {
        const value = vector.getItem(i);
        if (typeof value === "number" && Number.isFinite(value)) values[i] = value;
        else {
          values[i] = NaN;
          lacks[typeof value === "number" ? "notFinite" : "missing"]++;
        }
      }
      this.#chunks[c]?.push(values);
    });
  }

  column(c: number): Float64Array {
    const whole = new Float64Array(this.rows);
    let at = 0;
    for (const values of this.#chunks[c] ?? []) {
      whole.set(values, at);
      at += values.length;
    }
    return whole;
  }
}

function inOrder(
  arrived: Arrivals,
  names: readonly string[],
): Omit<GroupColumns, "runs"> & { readonly firstOfRun: readonly number[] } {
  const raw = (name: (typeof arrivalColumns)[number]): Float64Array =>
    arrived.column(arrivalColumns.indexOf(name));
  const place = raw("place");
  const groups = place.reduce((most, g) => Math.max(most, g + 1), 0);
  const offsets = new Uint32Array(groups + 1);
  for (const g of place) offsets[g + 1] = (offsets[g + 1] ?? 0) + 1;
  for (let g = 0; g < groups; g++) offsets[g + 1] = (offsets[g + 1] ?? 0) + (offsets[g] ?? 0);
  const order = placed(place, offsets, { rid: raw("rid"), sample: raw("sample") });
  const sorted = (values: Float64Array): Float64Array => at(values, order);
  const first = (values: Float64Array): Float64Array => at(values, offsets.subarray(0, groups));
  const signal = (c: number): SignalColumn => ({
    values: sorted(arrived.column(c)),
    ...(arrived.lacking[c] ?? { missing: 0, notFinite: 0 }),
  });
  const rids = sorted(raw("rid"));
  const runOf = Uint32Array.from(first(sorted(raw("run"))));
  const ridOf = first(rids);
  return {
    rollouts: arrived.rows,
    groups,
    offsets,
    runOf,
    stepOf: first(sorted(raw("step"))),
    outcomes: Uint8Array.from(sorted(raw("outcome"))),
    rids,
    reward: signal(arrivalColumns.indexOf("reward")),
    signals: new Map(names.map((name, i) => [name, signal(arrivalColumns.length + i)])),
    firstOfRun: [...ridOf].filter((_, g) => g === 0 || runOf[g] !== runOf[g - 1]),
  };
}

/** The values at some places. A loop: the conversion of the language goes by an iterator and is slow. */
function at(values: Float64Array, places: Uint32Array): Float64Array {
  const picked = new Float64Array(places.length);
  for (let i = 0; i < picked.length; i++) picked[i] = values[places[i] ?? 0] ?? NaN;
  return picked;
}

/** For each place of the result the row that arrived for it: by group, then by sample and arrival. */
function placed(
  place: Float64Array,
  offsets: Uint32Array,
  { rid, sample }: { readonly rid: Float64Array; readonly sample: Float64Array },
): Uint32Array {
  const next = offsets.slice();
  const order = new Uint32Array(place.length);
  place.forEach((group, row) => {
    const at = next[group] ?? 0;
    order[at] = row;
    next[group] = at + 1;
  });
  const isBefore = (a: number, b: number): boolean => {
    const [x, y] = [sample[a] ?? 0, sample[b] ?? 0];
    return x < y || (x === y && (rid[a] ?? 0) < (rid[b] ?? 0));
  };
  for (let g = 0; g + 1 < offsets.length; g++) {
    const [from, to] = [offsets[g] ?? 0, offsets[g + 1] ?? 0];
    // They arrive nearly in order, and a sort of its own for each small group is slow.
    for (let i = from + 1; i < to; i++)
      if (isBefore(order[i] ?? 0, order[i - 1] ?? 0)) {
        order.subarray(from, to).sort((a, b) => (isBefore(a, b) ? -1 : 1));
        break;
      }
  }
  return order;
}
