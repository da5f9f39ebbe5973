import { choiceConstant, isChoiceColumn, type ChoiceColumn } from "../evidence/contract/choices.ts";
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
const quotedName = (name: string): string => `"${name}"`;

const wholeNumber = "[+-]?[0-9]+";
const number = String.raw`[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?`;

/** A value in another type; a text that is no number has no value as one. */
export function conversion(e: Extract<Expr, { op: "convert" }>, of: string): string {
  const from = e.of.type;
  if (e.type === "string") return `(${of})::VARCHAR`;
  if (e.type === "double")
    return from === "string"
      ? `(CASE WHEN regexp_full_match(${of}, '${number}') AND isfinite(TRY_CAST(${of} AS DOUBLE)) THEN TRY_CAST(${of} AS DOUBLE) END)`
      : `(${of})::DOUBLE`;
  return from === "string"
    ? `(CASE WHEN regexp_full_match(${of}, '${wholeNumber}') THEN TRY_CAST(${of} AS BIGINT) END)`
    : `TRY_CAST(trunc(${of}) AS BIGINT)`;
}

/** How a comparison is written. */
export const signs = { "==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=" } as const;

type VariableOf = Extract<Expr, { op: "variable" }>;
/** The column that a variable is. */
export const variable = ({ variable: { table, name } }: VariableOf): string => `${table}.${quotedName(name)}`;

/** The column of choices that a variable is, anywhere else a text like others. */
export const choiceOf = ({ variable: { table, name } }: VariableOf): ChoiceColumn | undefined =>
  table === "r" && isChoiceColumn(name) ? name : undefined;

/** A comparison of such a column with one of its texts. */
export function choice({ left, sign, right }: Extract<Expr, { op: "compare" }>): string | undefined {
  const [of, text] = left.op === "variable" ? [left, right] : [right, left];
  if (of.op !== "variable" || text.op !== "const" || typeof text.value !== "string") return undefined;
  const column = choiceOf(of);
  const constant = column === undefined ? undefined : choiceConstant(column, text.value);
  if (constant === undefined) return undefined;
  return of === left
    ? `(${variable(of)} ${signs[sign]} ${constant})`
    : `(${constant} ${signs[sign]} ${variable(of)})`;
}
