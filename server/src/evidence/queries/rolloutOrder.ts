import type { rolloutOrders } from "../../../../shared/model/rolloutOrders.ts";
import { HarnessError } from "../../base/errors.ts";
import { choiceConstant, isChoiceColumn } from "../contract/choices.ts";
import type { Row, SqlFragment } from "../store/sql.ts";
import { numberOf } from "../store/rows.ts";

export type RolloutOrder = (typeof rolloutOrders)[number];

type Kind = "integer" | "number" | "text";
const kinds: Readonly<Partial<Record<RolloutOrder, Kind>>> = {
  arrival: "integer",
  step: "integer",
  sample: "integer",
  tokens: "integer",
  seed: "integer",
  n_turns: "integer",
  reward: "number",
  logprob_mean: "number",
  duration_ms: "number",
};

/** A total order of rollouts: by the column, those without a value last, then by arrival. */
export interface Sort {
  readonly by: RolloutOrder;
  readonly descending: boolean;
}

/** A place in a sorted list: the sort value of a rollout, and the rollout. */
export interface Place {
  readonly value: number | string | null;
  readonly rid: number;
}

/** The column of the sort over `r` and `f`. */
function sortColumn({ by }: Sort): string {
  if (by === "arrival") return "r.rid";
  return by === "n_turns" ? "f.n_turns" : `r."${by}"`;
}

/** The column as `order_value`: text, or a double, which holds every integer of the contract. */
export function sortValue(sort: Sort): string {
  return (kinds[sort.by] ?? "text") === "text" ? sortColumn(sort) : `${sortColumn(sort)}::DOUBLE`;
}

export function orderBy(sort: Sort): string {
  return `${sortColumn(sort)} ${sort.descending ? "DESC" : "ASC"} NULLS LAST, r.rid`;
}

/** The condition of what lies behind a place. */
export function behind(sort: Sort, { value, rid }: Place): SqlFragment {
  const column = sortColumn(sort);
  const beyond = sort.descending ? "<" : ">";
  if (sort.by === "arrival") return { sql: `r.rid ${beyond} ?`, params: [BigInt(rid)] };
  if (value === null) return { sql: `${column} IS NULL AND r.rid > ?`, params: [BigInt(rid)] };
  const choice =
    isChoiceColumn(sort.by) && typeof value === "string" ? choiceConstant(sort.by, value) : undefined;
  // Never missing, so that the first part is a filter of the scan: a third of the time.
  if (choice !== undefined)
    return {
      sql: `${column} ${beyond}= ${choice} AND (r.rid > ? OR ${column} ${beyond} ${choice})`,
      params: [BigInt(rid)],
    };
  const bound = kinds[sort.by] === "integer" ? BigInt(value) : value;
  return {
    sql: `${column} ${beyond} ? OR (${column} = ? AND r.rid > ?) OR ${column} IS NULL`,
    params: [bound, bound, BigInt(rid)],
  };
}

/** The place of a row that has `rid` and `order_value`. */
export function placeOf(row: Row): Place {
  const value = row["order_value"];
  return {
    value: typeof value === "number" || typeof value === "string" ? value : null,
    rid: numberOf(row, "rid"),
  };
}

/** A place as text for the caller to hand back; it names its sort, because it means nothing in another one. */
export function cursorOf(sort: Sort, place: Place): string {
  return JSON.stringify([sort.by, sort.descending ? "desc" : "asc", place.value, place.rid]);
}

/** @throws HarnessError badInput for a cursor that a list in this order did not return */
export function parseCursor(sort: Sort, text: string): Place {
  const parsed = parsedOrNull(text);
  if (Array.isArray(parsed) && parsed.length === 4) {
    const [by, direction, value, rid] = parsed.map((part: unknown) => part);
    if (
      by === sort.by &&
      direction === (sort.descending ? "desc" : "asc") &&
      isValue(kinds[sort.by] ?? "text", value) &&
      typeof rid === "number" &&
      Number.isSafeInteger(rid)
    )
      return { value, rid };
  }
  throw new HarnessError(
    "badInput",
    "The cursor is not one that this list returned in this order; start from the first page.",
  );
}

function isValue(kind: Kind, value: unknown): value is Place["value"] {
  if (value === null) return true;
  if (kind === "text") return typeof value === "string";
  return kind === "integer" ? Number.isSafeInteger(value) : Number.isFinite(value);
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
