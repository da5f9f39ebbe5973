import type { Row } from "./sql.ts";

/** A column that the query guarantees; anything else is a bug in the query. */
function wrong(row: Row, column: string, expected: string): Error {
  return new Error(`Column ${column} is not ${expected}: ${typeof row[column]}`);
}

/** Integers come as bigint; contract integers are safe, so a number holds them. */
export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  throw wrong(row, column, "a number");
}

export function numberOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : numberOf(row, column);
}

export function bigintOf(row: Row, column: string): bigint {
  const value = row[column];
  if (typeof value === "bigint") return value;
  throw wrong(row, column, "an integer");
}

export function stringOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw wrong(row, column, "a string");
}

export function stringOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : stringOf(row, column);
}

export function booleanOrNull(row: Row, column: string): boolean | null {
  const value = row[column];
  if (value === null || typeof value === "boolean") return value;
  throw wrong(row, column, "a boolean");
}

export function integersOf(row: Row, column: string): number[] {
  const value = row[column];
  if (Array.isArray(value)) return value.map(Number);
  throw wrong(row, column, "a list");
}

export function stringsOf(row: Row, column: string): string[] {
  const value = row[column];
  if (Array.isArray(value)) return value.map(String);
  throw wrong(row, column, "a list");
}

/** A JSON object that the store wrote itself. */
export function objectOf(row: Row, column: string): Record<string, unknown> {
  const value: unknown = JSON.parse(stringOf(row, column));
  if (typeof value !== "object" || value === null) throw wrong(row, column, "an object");
  return { ...value };
}

/** A JSON object of numbers that the store wrote itself. */
export function numbersOf(row: Row, column: string): Record<string, number> {
  return Object.fromEntries(Object.entries(objectOf(row, column)).map(([name, v]) => [name, Number(v)]));
}
