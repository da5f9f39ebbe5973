import { HarnessError } from "../../base/errors.ts";
import type { SqlFragment } from "../store/sql.ts";
import { requiredLiteral } from "../../expression/regexLiteral.ts";

/** What to look for in the text of turns: a literal text, or a regular expression in the syntax of RE2. */
export interface TextQuery {
  readonly kind: "literal" | "regex";
  readonly pattern: string;
  readonly ignoreCase: boolean;
}

/** `/…/` is a regular expression, `/…/i` one that ignores case; anything else is meant literally. */
export function parseTextQuery(text: string, options: { readonly ignoreCase: boolean }): TextQuery {
  const regex = /^\/(.+)\/(i?)$/s.exec(text);
  if (regex === null) return { kind: "literal", pattern: text, ignoreCase: options.ignoreCase };
  return { kind: "regex", pattern: regex[1] ?? "", ignoreCase: regex[2] === "i" || options.ignoreCase };
}

/**
 * The condition that a text holds what is looked for. A literal that every match must hold is looked for first, because
 * that is several times faster than the expression.
 * @throws HarnessError badInput for an empty query
 */
export function matches(query: TextQuery, column: string): SqlFragment {
  if (query.pattern === "")
    throw new HarnessError("badInput", "The text to search for is empty; give at least one character.");
  if (query.kind === "literal" && !query.ignoreCase)
    return { sql: `contains(${column}, ?)`, params: [query.pattern] };
  const literal = query.kind === "regex" && !query.ignoreCase ? requiredLiteral(query.pattern) : "";
  const regex = { sql: `regexp_matches(${column}, ?)`, params: [expression(query)] };
  return literal === ""
    ? regex
    : {
        sql: `(contains(${column}, ?) AND ${regex.sql})`,
        params: [literal, ...regex.params],
      };
}

/** The query as one expression that is a group of its own, so that it can stand inside another one. */
export function expression({ kind, pattern, ignoreCase }: TextQuery): string {
  const source =
    kind === "regex"
      ? pattern
      : pattern.replaceAll(/[\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e]/g, "\\$&");
  return `(?${ignoreCase ? "i" : ""}:${source})`;
}
