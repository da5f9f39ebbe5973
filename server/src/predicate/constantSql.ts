import type { Expr } from "./expr.ts";

/** The only text of a user that reaches SQL: strings are quoted, numbers are printed from parsed values. */
export function literal(value: Extract<Expr, { op: "const" }>["value"], cast: string): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return text(value);
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "bigint") return value < 0n ? `(${value})${cast}` : `${value}${cast}`;
  // With an exponent it is a double from the start; without, a decimal that is converted, and rounded twice.
  const printed = String(value);
  return `${value < 0 || Object.is(value, -0) ? "(" : ""}${Object.is(value, -0) ? "-0" : printed}${printed.includes("e") ? "" : "e0"}${value < 0 || Object.is(value, -0) ? ")" : ""}`;
}

/** A text as SQL. */
export const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
/** A column whose name may be a word of SQL. */
export const quotedName = (name: string): string => `"${name}"`;
