import type { SqlFragment } from "./sql.ts";

/**
 * A plain name as a literal, which DuckDB compares while it reads the column, and a parameter only afterwards; any other text
 * as a parameter.
 */
export function sqlConstant(text: string): SqlFragment {
  return /^[\w.-]+$/.test(text) ? { sql: `'${text}'`, params: [] } : { sql: "?", params: [text] };
}
